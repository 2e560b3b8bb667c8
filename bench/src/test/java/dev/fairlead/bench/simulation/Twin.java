package dev.fairlead.bench.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** Stores without one of their guards. */
final class Twin {
  private Twin() {}

  /** Returns an implementation of the interface that answers all calls by the handler. */
  static <T> T of(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }
}
