package dev.fairlead.integration;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.postgres.TransactionScope;
import dev.fairlead.kernel.transaction.LoopWork;
import dev.fairlead.kernel.transaction.Transactions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Transactions of the conformance suites: they act for all tenants, as loops do. */
record LoopTransactions(Transactions real) implements Transactions {
  @Override
  public <T> T call(Supplier<T> work) {
    return TransactionScope.current() == null
        ? inLoop(() -> real.forAllTenants(work))
        : real.call(work);
  }

  @Override
  public <T> T callFenced(HeldLease lease, Supplier<T> work) {
    return inLoop(() -> real.callFenced(lease, work));
  }

  @Override
  public <T> T read(Supplier<T> work) {
    return TransactionScope.current() == null
        ? inLoop(() -> real.readForAllTenants(work))
        : real.read(work);
  }

  static <T> T inLoop(Supplier<T> work) {
    AtomicReference<T> done = new AtomicReference<>();
    LoopWork.run(() -> done.set(work.get()));
    return done.get();
  }

  /** The store, each call of which acts for all tenants unless a transaction is open. */
  static <T> T around(Class<T> port, T store, Transactions transactions) {
    Object proxy =
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (_, method, arguments) ->
                TransactionScope.current() == null
                    ? inLoop(
                        () -> transactions.forAllTenants(() -> called(store, method, arguments)))
                    : called(store, method, arguments));
    return port.cast(proxy);
  }

  private static @Nullable Object called(
      Object store, Method method, @Nullable Object[] arguments) {
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException refused) {
        throw refused;
      }
      throw new IllegalStateException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
