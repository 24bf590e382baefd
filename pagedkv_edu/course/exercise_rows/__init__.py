"""The rows of the exercise table, a module for each part of the course."""
