// A webhook receiver on Go's standard library.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// "Service" is the deployment's setting `serviceName`.
	headerPrefix     = "X-Service"
	tolerance        = 300 * time.Second
	maxBodyBytes     = 1 << 20
	maxRememberedIDs = 10_000
	maxWaitingEvents = 1_000
)

type event struct {
	ID             string `json:"id"`
	Type           string `json:"type"`
	RunID          string `json:"run_id"`
	Status         string `json:"status"`
	TrackerID      string `json:"tracker_id"`
	ChangeReportID string `json:"change_report_id"`
}

// isGenuine checks the signature over the raw body. It accepts any matching v1: during a rotation overlap
// there are two. header is empty if the request has none. To verify the "webhook-…" headers of Standard Webhooks
// instead, use github.com/standard-webhooks/standard-webhooks/libraries.
func isGenuine(header string, body []byte, secret string, now time.Time) bool {
	sentAt := ""
	var given [][]byte
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "t" && sentAt == "" {
			sentAt = value
		}
		if signature, err := hex.DecodeString(value); name == "v1" && err == nil {
			given = append(given, signature)
		}
	}
	seconds, err := strconv.ParseUint(sentAt, 10, 48)
	if secret == "" || err != nil || now.Sub(time.Unix(int64(seconds), 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(sentAt + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, signature := range given {
		if hmac.Equal(signature, expected) {
			return true
		}
	}
	return false
}

// seenIDs remembers events in memory. In production, use a table with a unique key on the event id:
// this map is empty after a restart.
type seenIDs struct {
	mutex sync.Mutex
	ids   map[string]bool
	order []string
}

func (seen *seenIDs) add(id string) {
	if seen.ids == nil {
		seen.ids = map[string]bool{}
	}
	seen.ids[id] = true
	seen.order = append(seen.order, id)
	if len(seen.order) > maxRememberedIDs {
		delete(seen.ids, seen.order[0])
		seen.order = seen.order[1:]
	}
}

type receiver struct {
	secret string
	seen   seenIDs
	events chan event
}

// accept puts a new event into the queue of the worker. It returns false if the queue is full.
func (r *receiver) accept(e event) bool {
	r.seen.mutex.Lock()
	defer r.seen.mutex.Unlock()
	if r.seen.ids[e.ID] {
		return true
	}
	select {
	case r.events <- e:
		r.seen.add(e.ID)
		return true
	default:
		return false
	}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	w.WriteHeader(r.statusOf(w, request))
}

func (r *receiver) statusOf(w http.ResponseWriter, request *http.Request) int {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBodyBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return http.StatusBadRequest
	}
	if !isGenuine(request.Header.Get(headerPrefix+"-Signature"), body, r.secret, time.Now()) {
		// The handshake arrives before the API returns the secret. It needs only a 2xx, and nothing is done with it.
		if request.Header.Get(headerPrefix+"-Event-Type") == "webhook.test" {
			return http.StatusNoContent
		}
		return http.StatusUnauthorized
	}
	var e event
	if json.Unmarshal(body, &e) != nil || e.ID == "" || e.Type == "" {
		return http.StatusBadRequest
	}
	if !r.accept(e) {
		return http.StatusServiceUnavailable
	}
	return http.StatusNoContent
}

// handle is the place for your code. In production, store the event before you respond, so that a crash cannot lose it.
func handle(e event) {
	switch e.Type {
	case "run.completed":
		fmt.Printf("Run %s ended as %s (%s)\n", e.RunID, e.Status, e.ID)
	case "tracker.changed":
		fmt.Printf("Tracker %s wrote %s (%s)\n", e.TrackerID, e.ChangeReportID, e.ID)
	default:
		fmt.Printf("Ignored %s (%s)\n", e.Type, e.ID)
	}
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	r := &receiver{secret: os.Getenv("WEBHOOK_SECRET"), events: make(chan event, maxWaitingEvents)}
	go func() {
		for e := range r.events {
			handle(e)
		}
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Listening on port %d\n", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: r, ReadTimeout: 10 * time.Second}
	cert, key := os.Getenv("TLS_CERT"), os.Getenv("TLS_KEY")
	if cert != "" && key != "" {
		log.Fatal(server.ServeTLS(listener, cert, key))
	}
	log.Fatal(server.Serve(listener))
}
