package dev.fairlead.architecture.planted.calls;

import java.time.Instant;
import java.util.function.Supplier;

class RefersToNow {
  Supplier<Instant> at = Instant::now;
}
