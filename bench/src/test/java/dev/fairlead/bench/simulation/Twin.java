package dev.fairlead.bench.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Stores without one of their guards. */
final class Twin {
  private Twin() {}

  /** Returns an implementation of the interface that answers all calls by the handler. */
  static <T> T of(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  /** Calls the real store and rethrows its exceptions. */
  static @Nullable Object invoke(Object stored, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(stored, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }
}
