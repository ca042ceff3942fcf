// A small backend that hands out uploads to its own users. It asks Countersign with an API key that only the backend has.
//
//	POST /uploads  {"name": "a.png", "type": "image/png", "size": 1000}   answers a request that the user's app sends to OSS
//	POST /tickets  {"for": "oss"} or {"for": "kodo", "name": "a.png"}     answers a URL that an SDK can ask for credentials, again and again
package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Who is logged in. A real backend asks its sessions, or checks a cookie.
var sessions = map[string]string{"session-of-ann": "ann", "session-of-bob": "bob"}

// refusal is what the user is told.
type refusal struct {
	status     int
	words      string
	retryAfter string
}

func (r *refusal) Error() string { return r.words }

type question struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size *int64 `json:"size"`
	For  string `json:"for"`
}

type backend struct {
	countersign *countersign
}

func (b *backend) upload(user string, q question) (any, error) {
	if q.Name == "" || q.Type == "" || q.Size == nil || *q.Size < 0 {
		return nil, &refusal{status: 400, words: "name, type and size are needed."}
	}
	key, err := newKey(user, q.Name)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Method    string            `json:"method"`
		URL       string            `json:"url"`
		Headers   map[string]string `json:"headers"`
		Key       string            `json:"key"`
		ExpiresIn int64             `json:"expiresIn"`
	}
	err = b.countersign.ask("/oss/presigned-url", map[string]any{
		"grant": "pictures of users", "method": "PUT", "key": key, "contentType": q.Type,
		"header": map[string]string{"content-length": strconv.FormatInt(*q.Size, 10)},
	}, &answer)
	return answer, err
}

func (b *backend) ticket(user string, q question) (any, error) {
	var parameters map[string]any
	switch {
	case q.For == "oss":
		// Only the user's own folder: the ticket fixes the prefix.
		parameters = map[string]any{"grant": "sessions of users", "keyPrefix": "users/" + user + "/"}
	case q.For == "kodo" && q.Name != "":
		key, err := newKey(user, q.Name)
		if err != nil {
			return nil, err
		}
		parameters = map[string]any{"grant": "photos of users", "key": key}
	default:
		return nil, &refusal{status: 400, words: `for must be "oss", or "kodo" with a name.`}
	}
	parameters["expires"] = 3600
	var answer struct {
		URL       string `json:"url"`
		ExpiresAt string `json:"expiresAt"`
	}
	err := b.countersign.ask("/tickets", parameters, &answer)
	return answer, err
}

var extension = regexp.MustCompile(`^\.[a-z0-9]{1,8}$`)

// newKey makes a new key in the user's own folder. Of the name only the extension is used.
func newKey(user, name string) (string, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	suffix := strings.ToLower(path.Ext(name))
	if !extension.MatchString(suffix) {
		suffix = ""
	}
	return "users/" + user + "/" + hex.EncodeToString(random) + suffix, nil
}

// route answers one path: who asks, then what is asked.
func (b *backend) route(answer func(user string, q question) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		document, err := func() (any, error) {
			if r.Method != http.MethodPost {
				return nil, &refusal{status: 405, words: "Use POST."}
			}
			user, isKnown := sessions[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
			if !isKnown {
				return nil, &refusal{status: 401, words: "You are not logged in."}
			}
			var q question
			if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 10_000)).Decode(&q); err != nil {
				return nil, &refusal{status: 400, words: "This is no JSON that can be read."}
			}
			return answer(user, q)
		}()
		status := http.StatusOK
		if err != nil {
			told := &refusal{status: 500, words: "Something is wrong here."}
			if !errors.As(err, &told) {
				log.Print(err)
			}
			if told.retryAfter != "" {
				w.Header().Set("Retry-After", told.retryAfter)
			}
			status, document = told.status, map[string]string{"error": told.words}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(document); err != nil {
			log.Print(err)
		}
	}
}

func environment(name, standard string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return standard
}

func main() {
	key := os.Getenv("COUNTERSIGN_KEY")
	if key == "" {
		log.Fatal("COUNTERSIGN_KEY is not set: the backend's API key")
	}
	b := &backend{&countersign{
		url: environment("COUNTERSIGN_URL", "http://127.0.0.1:8080"), key: key,
		client: &http.Client{Timeout: 10 * time.Second},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("/uploads", b.route(b.upload))
	mux.HandleFunc("/tickets", b.route(b.ticket))
	listener, err := net.Listen("tcp", "127.0.0.1:"+environment("PORT", "8001"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("backend: listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
