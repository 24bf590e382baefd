"""The key of every quiz: by lesson and question, the letter of the right answer."""

KEY: dict[str, dict[str, str]] = {
    "01": {"q1": "c", "q2": "a", "q3": "b"},
    "02": {"q1": "b", "q2": "a", "q3": "b"},
    "03": {"q1": "b", "q2": "a", "q3": "c"},
    "04": {"q1": "a", "q2": "b", "q3": "c"},
    "05": {"q1": "b", "q2": "c", "q3": "b"},
    "06": {"q1": "b", "q2": "b", "q3": "c"},
    "07": {"q1": "a", "q2": "b", "q3": "c"},
    "09": {"q1": "b", "q2": "c", "q3": "a"},
    "10": {"q1": "c", "q2": "a", "q3": "b"},
    "11": {"q1": "b", "q2": "b", "q3": "c", "q4": "b", "q5": "a", "q6": "c"},
    "12": {"q1": "c", "q2": "b", "q3": "b", "q4": "b"},
}
