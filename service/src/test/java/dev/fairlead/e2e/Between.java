package dev.fairlead.e2e;

import dev.fairlead.work.workload.ClusterGateway;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A layer between a process and a cluster that answers some calls itself. */
@FunctionalInterface
interface Between {
  /** The result of a call; {@code real} executes it on the cluster. */
  Object answer(Method method, Object[] arguments, Call real) throws Throwable;

  /** The original call. */
  @FunctionalInterface
  interface Call {
    Object now() throws Throwable;
  }

  static ClusterGateway on(ClusterGateway real, Between between) {
    return (ClusterGateway)
        Proxy.newProxyInstance(
            ClusterGateway.class.getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (self, method, arguments) ->
                between.answer(method, arguments, () -> invoke(real, method, arguments)));
  }

  private static Object invoke(ClusterGateway real, Method method, Object... arguments)
      throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    }
  }
}
