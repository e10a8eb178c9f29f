package golden_test

import (
	"context"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/peoplebound"
)

// pupil does the exercises of a lesson.
type pupil struct{}

func (pupil) Practise(context.Context) (peoplebound.LessonPractiseOut, error) {
	return peoplebound.LessonPractiseOut{Rounds: 1}, nil
}

// TestPeopleBoundCycles holds that a run visits nodes of a cycle as often as people answer, beyond the defaults of visits and steps.
func TestPeopleBoundCycles(t *testing.T) {
	m, err := peoplebound.NewLesson(pupil{})
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 60
	yes := []graphgen.Answer[peoplebound.Lesson]{
		peoplebound.AnswerLessonClear(graphgen.Approve), peoplebound.AnswerLessonPractise(graphgen.Approve),
		peoplebound.AnswerLessonMore(graphgen.Approve),
	}
	_, err = m.Run(t.Context(), peoplebound.LessonInput{})
	for range rounds - 1 {
		for _, answer := range yes {
			_, err = m.Resume(t.Context(), pause(t, err), answer)
		}
	}
	for _, answer := range yes[:2] {
		_, err = m.Resume(t.Context(), pause(t, err), answer)
	}
	out, err := m.Resume(t.Context(), pause(t, err), peoplebound.AnswerLessonMore(graphgen.Deny))
	if want := (peoplebound.LessonOutput{Said: rounds, Rounds: rounds}); err != nil || out != want {
		t.Errorf("the run of %d rounds gave %v and %v, want %v", rounds, out, err, want)
	}
}
