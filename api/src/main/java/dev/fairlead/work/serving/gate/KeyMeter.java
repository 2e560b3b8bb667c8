package dev.fairlead.work.serving.gate;

import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.key.GateBatch;
import dev.fairlead.work.serving.key.GateBatch.VersionTraffic;
import dev.fairlead.work.serving.key.KeyHour;
import dev.fairlead.work.serving.key.KeyMinute;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.service.GateBooks;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts the use of keys, and compares it with their limits in a calendar minute. Each gate grants
 * its share of the amount that was unused at the last exchange, or all of it if it is the only
 * gate. A single gate enforces a limit exactly. N gates together exceed it by less than (N - 1) / N
 * of the limit, plus one request for each gate.
 */
final class KeyMeter {
  private static final Duration EXCHANGE = Duration.ofSeconds(2);

  private final UUID gate;
  private final ReentrantLock lock = new ReentrantLock();
  private final SortedMap<KeyTime, KeyUse> hours = new TreeMap<>();
  private final SortedMap<KeyTime, Spent> minutes = new TreeMap<>();
  private final SortedMap<KeyTime, Spent> unconfirmed = new TreeMap<>();
  private final SortedMap<ServiceKey.Name, Instant> used = new TreeMap<>();
  private final SortedMap<Served, TrafficCount> traffic = new TreeMap<>();
  private final SortedMap<ServiceKey.Name, Spent> shared = new TreeMap<>();
  private Instant minute = Instant.EPOCH;
  private int gates = 1;
  private long batches;
  private @Nullable GateBatch sent;

  /**
   * @param gate id of this process
   */
  KeyMeter(UUID gate) {
    this.gate = gate;
  }

  UUID gate() {
    return gate;
  }

  private record KeyTime(ServiceKey.Name key, Instant time) implements Comparable<KeyTime> {
    @Override
    public int compareTo(KeyTime other) {
      return Comparator.comparing(KeyTime::key).thenComparing(KeyTime::time).compare(this, other);
    }
  }

  private record Served(ModelServiceId service, int version) implements Comparable<Served> {
    @Override
    public int compareTo(Served other) {
      return Comparator.comparing(Served::service)
          .thenComparingInt(Served::version)
          .compare(this, other);
    }
  }

  private record Spent(long requests, long tokens) {
    static final Spent NONE = new Spent(0, 0);

    Spent plus(Spent more) {
      return new Spent(requests + more.requests, tokens + more.tokens);
    }
  }

  /**
   * A limit that is reached.
   *
   * @param tokens whether it is the limit of tokens
   * @param limit in a minute
   * @param retryAfter time after which a request may succeed, at least one second
   */
  record Reached(boolean tokens, int limit, Duration retryAfter) {}

  /** Counts a request, unless a limit of its key is reached. */
  Optional<Reached> admit(ServiceKey key, Instant now) {
    lock.lock();
    try {
      Instant begin = now.truncatedTo(ChronoUnit.MINUTES);
      Spent own = own(key.key(), begin);
      Spent all = begin.equals(minute) ? shared.getOrDefault(key.key(), Spent.NONE) : Spent.NONE;
      Integer requests = key.requestsPerMinute();
      if (requests != null && own.requests >= granted(requests, all.requests)) {
        return Optional.of(reached(false, requests, all.requests, now));
      }
      Integer tokens = key.tokensPerMinute();
      if (tokens != null && own.tokens >= granted(tokens, all.tokens)) {
        return Optional.of(reached(true, tokens, all.tokens, now));
      }
      spend(key.key(), begin, new Spent(1, 0));
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Use in the minute that the shared state does not contain yet. */
  private Spent own(ServiceKey.Name key, Instant begin) {
    KeyTime time = new KeyTime(key, begin);
    return minutes.getOrDefault(time, Spent.NONE).plus(unconfirmed.getOrDefault(time, Spent.NONE));
  }

  /** Share of this gate in the unused part of a limit, rounded up. */
  private long granted(int limit, long all) {
    return Math.ceilDiv(Math.max(0, limit - all), gates);
  }

  private Reached reached(boolean tokens, int limit, long all, Instant now) {
    Instant next = now.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
    Duration rest = Duration.between(now, next).plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
    boolean unused = gates > 1 && all < limit && rest.compareTo(EXCHANGE) > 0;
    return new Reached(tokens, limit, unused ? EXCHANGE : rest);
  }

  private void spend(ServiceKey.Name key, Instant begin, Spent more) {
    Spent _ = minutes.merge(new KeyTime(key, begin), more, Spent::plus);
  }

  /**
   * Counts a request that has ended.
   *
   * @param tokens that the limit counts
   * @param count count of the version
   */
  void ended(
      ServiceKey.Name key, int version, KeyUse use, long tokens, TrafficCount count, Instant now) {
    lock.lock();
    try {
      KeyUse _ =
          hours.merge(new KeyTime(key, now.truncatedTo(ChronoUnit.HOURS)), use, KeyUse::plus);
      Instant _ = used.put(key, now);
      TrafficCount _ = traffic.merge(new Served(key.service(), version), count, TrafficCount::plus);
      if (tokens > 0) {
        spend(key, now.truncatedTo(ChronoUnit.MINUTES), new Spent(0, tokens));
      }
    } finally {
      lock.unlock();
    }
  }

  /** The counts since the last batch, or that batch again until it is confirmed. */
  GateBatch next() {
    lock.lock();
    try {
      GateBatch batch = sent == null ? counted() : sent;
      if (sent == null) {
        unconfirmed.putAll(minutes);
        hours.clear();
        minutes.clear();
        used.clear();
        traffic.clear();
        sent = batch;
      }
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private GateBatch counted() {
    batches++;
    return new GateBatch(
        gate,
        batches,
        hours.entrySet().stream()
            .map(each -> new KeyHour(each.getKey().key(), each.getKey().time(), each.getValue()))
            .toList(),
        minutes.entrySet().stream()
            .map(each ->
                new KeyMinute(
                    each.getKey().key(),
                    each.getKey().time(),
                    each.getValue().requests(),
                    each.getValue().tokens()))
            .toList(),
        used,
        traffic.entrySet().stream()
            .map(each ->
                new VersionTraffic(
                    each.getKey().service(), each.getKey().version(), each.getValue()))
            .toList());
  }

  /** Returns whether something was counted that is not stored. */
  boolean owes() {
    lock.lock();
    try {
      return sent != null || !hours.isEmpty() || !minutes.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** The last batch is stored, and the state of all gates contains it. */
  void confirmed(GateBooks.Shared state) {
    lock.lock();
    try {
      sent = null;
      unconfirmed.clear();
      minute = state.minute();
      gates = state.gates();
      shared.clear();
      state
          .used()
          .forEach(each -> shared.put(each.key(), new Spent(each.requests(), each.tokens())));
    } finally {
      lock.unlock();
    }
  }
}
