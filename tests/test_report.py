from pagedkv_edu.report import Hint, Report

HINT = Hint("It copies too much", ("why?", "the idea", "the code"))


def failed(found: str = "no.", go_on: str = "", reread: str = "") -> str:
    return Report(
        "5.3",
        "failed",
        "wrong",
        found=found,
        go_on=go_on,
        reread=reread,
        hints=(HINT,),
    ).text()


def test_a_hint_stands_beside_what_to_reread_or_alone():
    beside = failed(reread='lesson 05, "The fix"')
    alone = failed()

    assert beside.endswith(
        'Reread    lesson 05, "The fix". Hint: "It copies too much".'
    )
    assert alone.endswith('Found     no.\nHint      "It copies too much".')
    assert "Reread" not in alone


def test_words_are_explained_where_a_message_quotes_them():
    words = 'A reads "A0 B1"; expected "A0 A1".'

    assert "\nWords     A1 stands for what A wrote at position 1.\n" in failed(
        go_on=words, reread="lesson 05"
    )
    assert failed(found='"· A1".').splitlines()[-2] == (
        "Words     A1 stands for what A wrote at position 1; "
        "· is a slot that nobody wrote."
    )
    assert "Words" not in failed(found='no sequence is called "A".')
