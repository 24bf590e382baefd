"""Where the learner is."""

from pagedkv_edu.course.carry import mine as mine
from pagedkv_edu.course.checking import check as check
from pagedkv_edu.course.predict import guess as guess
from pagedkv_edu.course.predict import predict as predict
from pagedkv_edu.course.predict import quiz as quiz
