package dev.fairlead.work.serving.gate;

import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.service.GateBooks;
import dev.fairlead.work.serving.service.GatedService;
import io.micrometer.core.instrument.Counter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Admits requests of services that require keys. */
final class KeyGuard {
  private static final Duration RETRY = Duration.ofSeconds(10);

  private final KeyRing ring;
  private final KeyMeter meter;
  private final UsageMemory memory;
  private final Counter unread;
  private final GateClock clock;
  private final MonotonicClock latency;

  /**
   * @param memory limits the bytes of unread responses
   * @param unread counts responses without known tokens, because the memory was used up
   */
  KeyGuard(
      KeyRing ring,
      KeyMeter meter,
      UsageMemory memory,
      Counter unread,
      InstantSource machine,
      MonotonicClock latency) {
    this.memory = memory;
    this.unread = unread;
    this.ring = ring;
    this.meter = meter;
    this.clock = new GateClock(machine);
    this.latency = latency;
  }

  /**
   * Stores this gate's counts, and loads the keys and the use of all gates. A failed exchange is
   * repeated with the same counts.
   */
  void exchange(GateBooks books) {
    GateBooks.Shared state = books.exchange(meter.next(), ring.version());
    clock.set(state.now());
    meter.confirmed(state);
    ring.read(state.keys());
  }

  /** Removes this stopped gate, unless it has counts that are not stored. */
  void leave(GateBooks books) {
    if (!meter.owes()) {
      books.leave(meter.gate());
    }
  }

  /** The services of the gate were read. */
  void readServices() {
    ring.readServices();
  }

  /** Returns whether something was counted that is not stored. */
  boolean owes() {
    return meter.owes();
  }

  /** Returns the meter of an admitted request, or empty after an answer. */
  Optional<CallMeter> admitted(
      HttpServletRequest request, HttpServletResponse response, GatedService service)
      throws IOException {
    boolean outdated = service.keyed() ? ring.outdated() : ring.servicesOutdated();
    if (outdated) {
      GateAnswers.retryAfter(response, RETRY);
      GateAnswers.answer(
          response,
          HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          "API keys cannot be checked, because the database has been unavailable for too long."
              + " Retry later.",
          service.keyed());
      return Optional.empty();
    }
    if (!service.keyed()) {
      return Optional.of(CallMeter.NONE);
    }
    Instant now = clock.instant();
    List<String> given = Collections.list(request.getHeaders("authorization"));
    Optional<ServiceKey> key =
        given.size() == 1
            ? ring.find(service.settings().id(), given.getFirst(), now)
            : Optional.empty();
    if (key.isEmpty()) {
      GateAnswers.wrongKey(response);
      return Optional.empty();
    }
    Optional<KeyMeter.Reached> reached = meter.admit(key.get(), now);
    if (reached.isPresent()) {
      GateAnswers.limited(response, reached.get());
      return Optional.empty();
    }
    return Optional.of(
        new KeyedCall(
            meter,
            key.get().key(),
            service.settings().slowerThan(),
            "POST".equals(request.getMethod()),
            new KeyedCall.Clocks(clock, latency),
            memory,
            unread));
  }
}
