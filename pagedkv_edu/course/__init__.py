"""Where the learner is."""

from pagedkv_edu.course.doctor import doctor as doctor

try:
    from pagedkv_edu.course.carry import mine as mine
    from pagedkv_edu.course.checking import check as check
    from pagedkv_edu.course.overview import progress as progress
    from pagedkv_edu.course.predict import guess as guess
    from pagedkv_edu.course.predict import predict as predict
    from pagedkv_edu.course.predict import quiz as quiz
    from pagedkv_edu.course.progress_bar import bar as bar
except ModuleNotFoundError as missing:
    if (missing.name or "").startswith("pagedkv"):
        raise
    # `pagedkv doctor` must run where packages are missing, to say which
    _missing = missing.name

    def __getattr__(name: str) -> object:
        raise ImportError(
            f"{name} needs {_missing}, which is not installed; "
            "`pagedkv doctor` in a terminal says what to do"
        )
