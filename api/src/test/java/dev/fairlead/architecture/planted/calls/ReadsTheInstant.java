package dev.fairlead.architecture.planted.calls;

import java.time.Instant;

class ReadsTheInstant {
  Instant at() {
    return Instant.now();
  }
}
