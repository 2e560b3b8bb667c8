package dev.fairlead.money.usage;

import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.money.usage.GpuHistory.Seen;
import dev.fairlead.money.usage.GpuHistory.Use;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * Division of a GPU's time between two moments, in milli-GPU-milliseconds. The buckets add up to
 * 1000 times the milliseconds in which the GPU existed: reported, or held by a member. Slices of a
 * node exist only in the amount and for the time that members hold them.
 *
 * @param used the bucket USED by owner
 * @param overbooked allocations beyond the whole GPU, which are in no bucket, and are not 0 only
 *     when the intervals are wrong
 */
public record GpuTime(
    Map<UsageBucket, Long> buckets, SortedMap<UsageOwner, Long> used, long overbooked) {
  private static final int WHOLE_MILLI = 1000;

  public GpuTime {
    buckets = Collections.unmodifiableMap(new EnumMap<>(buckets));
    used = Collections.unmodifiableSortedMap(new TreeMap<>(used));
  }

  /** Adds up the state between two consecutive changes. */
  public static GpuTime of(GpuHistory gpu, long fromMillis, long toMillis) {
    Sums sums = new Sums(gpu);
    Held<Seen> states = new Held<>(gpu.states(), Seen::fromMillis, Seen::toMillis);
    Held<Use> uses = new Held<>(gpu.uses(), Use::fromMillis, Use::toMillis);
    Iterator<Long> moments = moments(gpu, fromMillis, toMillis).iterator();
    long at = moments.next();
    while (moments.hasNext()) {
      long next = moments.next();
      sums.add(states.at(at), uses.at(at), next - at);
      at = next;
    }
    return new GpuTime(sums.buckets, sums.used, sums.overbooked);
  }

  /** State at moments, which are queried in ascending order. */
  private static final class Held<T> {
    private final Deque<T> later;
    private final List<T> now = new ArrayList<>();
    private final ToLongFunction<T> from;
    private final ToLongFunction<T> to;

    private Held(List<T> all, ToLongFunction<T> from, ToLongFunction<T> to) {
      this.later = new ArrayDeque<>(all.stream().sorted(Comparator.comparingLong(from)).toList());
      this.from = from;
      this.to = to;
    }

    private List<T> at(long moment) {
      while (!later.isEmpty() && from.applyAsLong(later.getFirst()) <= moment) {
        now.add(later.removeFirst());
      }
      now.removeIf(one -> to.applyAsLong(one) <= moment);
      return now;
    }
  }

  private static SortedSet<Long> moments(GpuHistory gpu, long from, long to) {
    SortedSet<Long> moments = new TreeSet<>(List.of(from, to));
    for (Seen seen : gpu.states()) {
      moments.add(Math.clamp(seen.fromMillis(), from, to));
      moments.add(Math.clamp(seen.toMillis(), from, to));
    }
    for (Use use : gpu.uses()) {
      moments.add(Math.clamp(use.fromMillis(), from, to));
      moments.add(Math.clamp(use.toMillis(), from, to));
    }
    return moments;
  }

  private static final class Sums {
    private final Map<UsageBucket, Long> buckets = new EnumMap<>(UsageBucket.class);
    private final SortedMap<UsageOwner, Long> used = new TreeMap<>();
    private final String model;
    private final boolean ofNode;
    private long overbooked;

    private Sums(GpuHistory gpu) {
      model = gpu.part().model();
      ofNode = gpu.gpu() == GpuHistory.SLICES;
    }

    private void add(List<Seen> states, List<Use> uses, long millis) {
      if (states.isEmpty() && uses.isEmpty()) {
        return;
      }
      UsageBucket out =
          states.stream().map(Seen::bucket).min(UsageBucket::compareTo).orElse(UsageBucket.FREE);
      int held = uses.stream().mapToInt(Use::milli).sum();
      if (ofNode) {
        slices(out, held, uses, millis);
        return;
      }
      overbooked += Math.max(0, held - WHOLE_MILLI) * millis;
      if (out.compareTo(UsageBucket.USED) < 0) {
        put(out, WHOLE_MILLI, millis);
      } else {
        share(states, uses, millis);
      }
    }

    /** The slices that members hold. The number of GPUs behind them is unknown. */
    private void slices(UsageBucket out, int held, List<Use> uses, long millis) {
      if (out.compareTo(UsageBucket.USED) < 0) {
        put(out, held, millis);
      } else {
        put(UsageBucket.USED, held, millis);
        uses.forEach(use -> used.merge(use.owner(), use.milli() * millis, Long::sum));
      }
    }

    private void share(List<Seen> states, List<Use> uses, long millis) {
      int left = WHOLE_MILLI;
      int slices = 0;
      for (Use use : uses) {
        int its = Math.min(left, use.milli());
        used.merge(use.owner(), its * millis, Long::sum);
        put(UsageBucket.USED, its, millis);
        slices |= use.slices();
        left -= its;
      }
      int kept = Math.min(left, states.stream().mapToInt(Seen::keptMilli).sum());
      put(UsageBucket.KEPT, kept, millis);
      left -= kept;
      put(full(slices) ? UsageBucket.STRANDED : UsageBucket.FREE, left, millis);
    }

    /** Returns whether the GPU is partitioned and has no room for another slice. */
    private boolean full(int slices) {
      return slices != 0
          && MigGeometry.of(model)
              .map(g -> g.profiles().stream().allMatch(p -> p.fits(slices) == 0))
              .orElse(false);
    }

    private void put(UsageBucket bucket, int milli, long millis) {
      if (milli > 0) {
        buckets.merge(bucket, milli * millis, Long::sum);
      }
    }
  }
}
