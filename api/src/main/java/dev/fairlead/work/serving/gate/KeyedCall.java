package dev.fairlead.work.serving.gate;

import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Measures one request with a key. Used by a single thread. */
final class KeyedCall implements CallMeter {
  private static final int FAILED = 400;
  private static final int SERVER_ERROR = 500;
  private static final int BYTES_OF_TOKEN = 4;

  private final KeyMeter meter;
  private final ServiceKey.Name key;
  private final Duration slowerThan;
  private final boolean generates;
  private final InstantSource clock;
  private final MonotonicClock latency;
  private final UsageMemory memory;
  private final Counter unread;
  private UsageReader usage;
  private long passed;
  private LongSupplier body = () -> 0;
  private int version;
  private long begun;
  private int status;
  private boolean ended;

  /**
   * @param time now, for the minute of the usage
   * @param latency measures the response
   */
  record Clocks(InstantSource time, MonotonicClock latency) {}

  /**
   * @param slowerThan latency above which the response counts as bad
   * @param generates whether a successful response should have a usage object
   * @param memory limits the bytes of unread responses
   * @param unread counts responses without known tokens, because the memory was used up
   */
  KeyedCall(
      KeyMeter meter,
      ServiceKey.Name key,
      Duration slowerThan,
      boolean generates,
      Clocks clocks,
      UsageMemory memory,
      Counter unread) {
    this.memory = memory;
    this.unread = unread;
    this.usage = new UsageReader(null, memory);
    this.meter = meter;
    this.key = key;
    this.slowerThan = slowerThan;
    this.generates = generates;
    this.clock = clocks.time();
    this.latency = clocks.latency();
  }

  @Override
  public boolean keyed() {
    return true;
  }

  @Override
  public void forwarded(int number, LongSupplier asked) {
    version = number;
    body = asked;
    begun = latency.nanos();
  }

  @Override
  public void absent() {
    version = 0;
  }

  @Override
  public void responds(int code, @Nullable String type) {
    status = code;
    usage.close();
    usage = new UsageReader(type, memory);
  }

  @Override
  public void passes(byte[] bytes, int count) {
    passed += count;
    usage.add(bytes, count);
  }

  /**
   * Tokens that the limit counts without a usage object. A stream counts one token for each event
   * and for every four bytes of the request, because a client can disable its usage object. A
   * response that was not read counts one for each four bytes of request and response.
   */
  private long estimate() {
    long asked = Math.ceilDiv(body.getAsLong(), BYTES_OF_TOKEN);
    if (usage.unread()) {
      return asked + Math.ceilDiv(passed, BYTES_OF_TOKEN);
    }
    return usage.streams() ? usage.events() + asked : 0;
  }

  @Override
  public void ends(boolean broken) {
    usage.close();
    if (ended || version == 0) {
      return;
    }
    ended = true;
    Duration took = Duration.ofNanos(latency.nanos() - begun);
    if (usage.unread()) {
      unread.increment();
    }
    Optional<UsageReader.Usage> reported = usage.usage();
    KeyUse use =
        reported
            .map(each -> new KeyUse(1, each.prompt(), each.completion(), 0))
            .orElseGet(() -> new KeyUse(1, 0, 0, generates && status < FAILED ? 1 : 0));
    boolean bad = broken || status >= SERVER_ERROR || took.compareTo(slowerThan) > 0;
    meter.ended(
        key,
        version,
        use,
        reported.isPresent() ? use.tokens() : estimate(),
        new TrafficCount(1, bad ? 1 : 0, took.toMillis()),
        clock.instant());
  }
}
