package dev.fairlead.work.workload.kubernetes.call;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store behind a watch. It retains the name of each object and a digest, not the object. It
 * outlives the watch, so that the next list shows which objects have vanished.
 *
 * @param <T> watched objects
 * @param <V> digest of each object
 */
public final class WatchCache<T extends HasMetadata, V> implements ItemStore<T> {
  private static final Logger LOG = LoggerFactory.getLogger(WatchCache.class);
  private final Map<String, Kept<T, V>> kept = new ConcurrentHashMap<>();
  private final int most;
  private final Supplier<T> blank;
  private final Function<T, @Nullable V> digest;
  private final Listener<V> listener;

  /** Called for each change, in order for each object. */
  @FunctionalInterface
  public interface Listener<V> {
    void changed(@Nullable V before, @Nullable V now);
  }

  private record Kept<T, V>(T stub, @Nullable V value) {}

  /**
   * @param most maximum number of objects. A list with more objects ends with an error
   * @param blank creates an empty object of the watched kind
   * @param digest digest of an object, null if none
   */
  public WatchCache(
      int most, Supplier<T> blank, Function<T, @Nullable V> digest, Listener<V> listener) {
    this.most = most;
    this.blank = blank;
    this.digest = digest;
    this.listener = listener;
  }

  @Override
  public String getKey(T object) {
    return Cache.metaNamespaceKeyFunc(object);
  }

  @Override
  public @Nullable T put(String key, T object) {
    if (kept.size() >= most && !kept.containsKey(key)) {
      throw new IllegalStateException(
          "it has more than %d objects of kind %s, and the rest is not read"
              .formatted(most, object.getKind()));
    }
    V value = understood(object);
    Kept<T, V> before = kept.put(key, new Kept<>(stub(object), value));
    listener.changed(before == null ? null : before.value(), value);
    return before == null ? null : before.stub();
  }

  @Override
  public @Nullable T remove(String key) {
    Kept<T, V> before = kept.remove(key);
    if (before == null) {
      return null;
    }
    listener.changed(before.value(), null);
    return before.stub();
  }

  @Override
  public Stream<String> keySet() {
    return kept.keySet().stream();
  }

  @Override
  public Stream<T> values() {
    return kept.values().stream().map(Kept::stub);
  }

  @Override
  public int size() {
    return kept.size();
  }

  @Override
  public @Nullable T get(String key) {
    Kept<T, V> found = kept.get(key);
    return found == null ? null : found.stub();
  }

  @Override
  public boolean isFullState() {
    return false;
  }

  /** An object that cannot be parsed must not end the watch of all others. */
  private @Nullable V understood(T object) {
    try {
      return digest.apply(object);
    } catch (RuntimeException strange) {
      LOG.warn(
          "{} {} cannot be parsed and is skipped: {}",
          object.getKind(),
          getKey(object),
          strange.toString());
      return null;
    }
  }

  private T stub(T object) {
    ObjectMeta full = object.getMetadata();
    T stub = blank.get();
    stub.setMetadata(
        new ObjectMetaBuilder()
            .withName(full.getName())
            .withNamespace(full.getNamespace())
            .withUid(full.getUid())
            .withResourceVersion(full.getResourceVersion())
            .build());
    return stub;
  }
}
