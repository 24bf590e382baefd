"""A request on its way through the server."""

from collections.abc import Sequence
from dataclasses import dataclass

from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.workload import Request


@dataclass(slots=True, eq=False)
class SequenceState:
    """What a scheduler knows of one request.

    It knows the tokens of the prompt and those of the answer so far; the first
    `num_computed` of them have a slot, `num_left` have none yet. While a sequence
    decodes, one is left: the token that the last step produced.
    """

    request: Request
    order: int  # of arrival
    num_left: int
    num_computed: int = 0
    on_host: bool = False
    items: Sequence[int] = ()  # what its full blocks hold, for a prefix cache
    num_registered: int = 0  # full blocks that can be found by it

    @property
    def seq_id(self) -> SeqId:
        """The request's id, which is the sequence's too."""
        return self.request.request_id

    @property
    def num_known(self) -> int:
        """Tokens of the prompt, and of the answer so far."""
        return self.num_computed + self.num_left
