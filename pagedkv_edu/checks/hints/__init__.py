"""The hints of each topic, told as what the learner sees."""
