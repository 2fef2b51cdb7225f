package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"fingerpost/bridge/store"
)

// The errors of PostgreSQL that are handled: appendix A of its manual. A class
// is the first two characters.
const (
	connectionClass = "08"
	interventions   = "57P" // the server is stopped, or starts
	serialization   = "40001"
	deadlock        = "40P01"
	tooMany         = "53300" // connections
	diskFull        = "53100"
	protocol        = "08P01" // a parameter that PgBouncer does not take
	statementThere  = "42P05" // a prepared one, of another client
	noStatement     = "26000"
	dataCorrupted   = "XX001"
	indexCorrupted  = "XX002"
	noDatabase      = "3D000"
	authorization   = "28"
	noPrivilege     = "42501"
	readOnly        = "25006"
)

// passing reports whether the same transaction may succeed later, after its
// connection broke or not.
func passing(err error, broken bool) bool {
	var refused *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case !errors.As(err, &refused):
		return broken // or was refused
	}
	for _, code := range []string{connectionClass, interventions, serialization, deadlock, tooMany} {
		if strings.HasPrefix(refused.Code, code) {
			return true
		}
	}
	return false
}

// explain puts into words what may happen to any statement.
func explain(name string, err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch refused.Code {
		case diskFull:
			return fmt.Errorf("write %s: %w: %w", name, store.ErrFull, err)
		case dataCorrupted, indexCorrupted:
			return &store.DamagedError{Err: fmt.Errorf("%s: %w", name, err)}
		case statementThere, noStatement, readOnly:
			return openError(name, err)
		case noPrivilege:
			return &store.FileError{File: name, Problem: "cannot be written", Remedy: "let this user make and write the schema fingerpost", Err: err}
		}
		return err
	}
	var unreachable *pgconn.ConnectError
	if errors.As(err, &unreachable) {
		return openError(name, err)
	}
	return err
}

// openError puts what went wrong on opening into words. The error itself may
// quote a password.
func openError(name string, err error) error {
	var own *store.FileError
	if errors.As(err, &own) {
		return err
	}
	problem, remedy := "cannot be reached", "start PostgreSQL, or correct the address"
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch {
		case strings.HasPrefix(refused.Code, authorization):
			problem, remedy = "lets this user not in", "correct the user and the password"
		case refused.Code == noDatabase:
			problem, remedy = "is not there", "make it with createdb"
		case refused.Code == noPrivilege:
			problem, remedy = "cannot be written", "let this user make the schema fingerpost"
		case refused.Code == protocol, refused.Code == statementThere, refused.Code == noStatement:
			problem = "is behind a pooler that gives each transaction another connection"
			remedy = "add default_query_exec_mode=cache_describe to the parameters of the address"
		case refused.Code == readOnly:
			problem, remedy = "is a replica, which can be read but not written", "harvest with the address of the server that it replicates"
		case refused.Code == tooMany:
			problem, remedy = "has too many clients", "raise max_connections, or lower pool_max_conns in the address"
		}
	}
	return &store.FileError{File: name, Problem: problem, Remedy: remedy, Err: err}
}
