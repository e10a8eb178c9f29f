package openai

import (
	"encoding/json"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// roles are the roles of messages.
var roles = map[string]chat.Role{"user": chat.RoleUser, "assistant": chat.RoleAssistant, "system": chat.RoleSystem, "developer": chat.RoleSystem}

// textOf returns the text of the output of a call.
func textOf(content json.RawMessage, at string) (string, error) {
	var m chat.Message
	if err := speech.Content(&m, content, at); err != nil {
		return "", err
	}
	if len(m.Media) > 0 {
		return "", speech.Invalid(at, "An answer is a text.")
	}
	return m.Text, nil
}
