"""Where the learner is."""
