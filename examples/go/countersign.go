package main

import (
	"bytes"
	"encoding/json"
	"log"
	"net/http"
)

// countersign is the service, asked by the backend's API key.
type countersign struct {
	url    string
	key    string
	client *http.Client
}

// ask puts the answer of a route into `answer`. Refusals of the service are problem documents (RFC 9457): `code` is for programs,
// `detail` is for people.
func (c *countersign) ask(route string, parameters map[string]any, answer any) error {
	body, err := json.Marshal(parameters)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, c.url+route, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		log.Printf("countersign cannot be asked: %v", err)
		return &refusal{status: 503, words: "Uploads are not available now.", retryAfter: "5"}
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	if response.StatusCode == http.StatusOK {
		return decoder.Decode(answer)
	}
	var problem struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
	}
	if err := decoder.Decode(&problem); err != nil {
		return err
	}
	log.Printf("countersign refuses %s: %s: %s", route, problem.Code, problem.Detail)
	switch {
	case response.StatusCode == 429 || response.StatusCode == 503:
		retryAfter := response.Header.Get("Retry-After")
		return &refusal{status: 503, words: "Uploads are not available now.", retryAfter: retryAfter}
	// What the user has asked for is not allowed. Everything else is a mistake of the backend.
	case problem.Code == "not_in_grant":
		return &refusal{status: 403, words: problem.Detail}
	default:
		return &refusal{status: 500, words: "Something is wrong here."}
	}
}
