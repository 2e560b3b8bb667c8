package dev.fairlead.people.security;

/** Who came in as administrator: over loopback, or with the bootstrap token. */
record Caller(String name) {}
