package dev.fairlead.verify.simulation.world;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Stores without one of their guards. */
public final class UnguardedStores {
  private UnguardedStores() {}

  /** Returns an implementation of the interface that answers all calls by the handler. */
  public static <T> T of(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  /** Calls the real store and rethrows its exceptions. */
  public static @Nullable Object invoke(Object stored, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(stored, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  /** Gives each cluster the name of the next one. */
  public static InventoryStore misnamed(InventoryStore stored) {
    return of(
        InventoryStore.class,
        (self, method, arguments) -> {
          if (!method.getName().equals("clusters")) {
            return invoke(stored, method, arguments);
          }
          List<Cluster> all = stored.clusters();
          return IntStream.range(0, all.size())
              .mapToObj(i -> all.get(i).withName(all.get((i + 1) % all.size()).name()))
              .toList();
        });
  }
}
