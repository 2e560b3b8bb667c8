package dev.fairlead.work.serving.gate;

import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.key.KeyChanges;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyText;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The keys at the last read, and the age of the services that require them. */
final class KeyRing {
  private static final Pattern BEARER = Pattern.compile("(?i:Bearer) +(\\S+)");

  private final Duration longest;
  private final MonotonicClock clock;
  private volatile @Nullable Keys keys;
  private volatile long servicesReadAt;

  /** Period of reads of all keys, which forget the keys of deleted services. */
  private static final Duration WHOLE = Duration.ofHours(1);

  /**
   * @param version version of these keys, for the next read of changes
   * @param allReadAt time of the last read of all keys
   */
  private record Keys(Map<String, ServiceKey> byHash, long version, long allReadAt, long readAt) {}

  /**
   * @param longest time for which keys are used without being read again
   */
  KeyRing(Duration longest, MonotonicClock clock) {
    this.longest = longest;
    this.clock = clock;
    servicesReadAt = clock.nanos();
  }

  /** The services of the gate were read. */
  void readServices() {
    servicesReadAt = clock.nanos();
  }

  /**
   * Returns whether the list of services is stale: any service may have started to require keys.
   */
  boolean servicesOutdated() {
    return clock.nanos() - servicesReadAt > longest.toNanos();
  }

  /** Version of the known keys. 0 if all keys are to be read. */
  long version() {
    Keys read = keys;
    return read == null || clock.nanos() - read.allReadAt > WHOLE.toNanos() ? 0 : read.version;
  }

  /** Loads the changes since {@link #version}. */
  void read(KeyChanges changes) {
    Keys before = keys;
    long now = clock.nanos();
    Map<String, ServiceKey> byHash = before == null || changes.all() ? Map.of() : before.byHash;
    if (!changes.keys().isEmpty()) {
      byHash = new HashMap<>(byHash);
      for (ServiceKey each : changes.keys()) {
        byHash.put(each.hash(), each);
      }
    }
    long allReadAt = before == null || changes.all() ? now : before.allReadAt;
    keys = new Keys(byHash, changes.version(), allReadAt, now);
  }

  /** Returns whether the keys were read too long ago or never, so that none is accepted. */
  boolean outdated() {
    Keys read = keys;
    return read == null || clock.nanos() - read.readAt > longest.toNanos();
  }

  /**
   * The valid key of a service in a header Authorization. The hash is looked up and compared in
   * constant time, so the duration does not depend on the text of a key.
   */
  Optional<ServiceKey> find(ModelServiceId service, String authorization, Instant now) {
    Keys read = keys;
    Matcher bearer = BEARER.matcher(authorization);
    if (read == null || !bearer.matches() || !ServiceKeyText.isOne(bearer.group(1))) {
      return Optional.empty();
    }
    String hash = ServiceKeyText.hash(bearer.group(1));
    return Optional.ofNullable(read.byHash.get(hash))
        .filter(key -> MessageDigest.isEqual(bytes(key.hash()), bytes(hash)))
        .filter(key -> key.key().service().equals(service) && key.validAt(now));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
