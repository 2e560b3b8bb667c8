package dev.fairlead.e2e;

import dev.fairlead.work.workload.ClusterGateway;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.BooleanSupplier;

/**
 * Checks that no cluster is called inside a transaction: a hanging one would hold rows and
 * connections.
 */
final class OutsideTransactions {
  private OutsideTransactions() {}

  static ClusterGateway guarded(ClusterGateway gateway, BooleanSupplier inTransaction) {
    InvocationHandler guarded =
        (proxy, method, arguments) -> {
          if (method.getName().equals("equals")) {
            return proxy == arguments[0];
          }
          if (inTransaction.getAsBoolean()) {
            throw new AssertionError(method.getName() + " was called inside a transaction");
          }
          try {
            return method.invoke(gateway, arguments);
          } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
          }
        };
    return (ClusterGateway)
        Proxy.newProxyInstance(
            ClusterGateway.class.getClassLoader(), new Class<?>[] {ClusterGateway.class}, guarded);
  }
}
