"""How an answer is judged: limits, the search for the shortest history, reports."""
