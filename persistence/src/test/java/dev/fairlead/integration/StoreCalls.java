package dev.fairlead.integration;

import dev.fairlead.kernel.transaction.Transactions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Methods of the module's ports, found by reflection, and calls to them. */
record StoreCalls(PostgresInstallation installation, List<Object> values) {
  /** In addition to records with a component {@code tenant}. */
  private static final Set<String> TENANTED =
      Set.of("AuditRecord", "Tenant", "TenantId", "TenantMember", "Transition");

  /** A method of a port, and the component that has it. */
  record Call(Object store, Method method) {
    /** {@code JobStore.lock(Collection)}. */
    String name() {
      return method.getDeclaringClass().getSimpleName()
          + "."
          + method.getName()
          + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).toList();
    }
  }

  /** All methods of interfaces of the domain that components of the module implement. */
  List<Call> all() {
    List<Call> calls = new ArrayList<>();
    for (Object store : installation.beansWith(Component.class)) {
      for (Class<?> port : store.getClass().getInterfaces()) {
        if (port.getName().startsWith("dev.fairlead.")) {
          Arrays.stream(port.getMethods()).forEach(m -> calls.add(new Call(store, m)));
        }
      }
    }
    return calls;
  }

  /** Returns whether an argument names its tenant, so that the call itself states one. */
  static boolean statesATenant(Method method) {
    return Arrays.stream(method.getGenericParameterTypes()).anyMatch(StoreCalls::hasTenant);
  }

  private static boolean hasTenant(Type type) {
    if (type instanceof ParameterizedType generic) {
      if (isRecord(generic)) {
        return hasTenant(generic.getRawType());
      }
      return Arrays.stream(generic.getActualTypeArguments()).anyMatch(StoreCalls::hasTenant);
    }
    return type instanceof Class<?> known
        && (TENANTED.contains(known.getSimpleName())
            || known.isRecord()
                && Arrays.stream(known.getRecordComponents())
                    .map(RecordComponent::getName)
                    .anyMatch("tenant"::equals));
  }

  private static boolean isRecord(ParameterizedType generic) {
    return generic.getRawType() instanceof Class<?> raw && raw.isRecord();
  }

  /** The result of the call: {@code refused}, {@code nothing}, or the result. */
  String outcome(Call call) {
    try {
      call.method().setAccessible(true);
      Object given = call.method().invoke(call.store(), arguments(call.method()));
      return isNothing(given) ? "nothing" : "gives " + given;
    } catch (InvocationTargetException refused) {
      return "refused";
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Like {@link #outcome}, in a transaction that begins with that and is undone. */
  String outcomeAfter(Runnable first, Call call) {
    String[] outcome = new String[1];
    try {
      installation
          .bean(Transactions.class)
          .runOrTry(
              true,
              () -> {
                first.run();
                outcome[0] = outcome(call);
              });
    } catch (RuntimeException ended) {
      if (outcome[0] == null) {
        throw ended;
      }
    }
    return outcome[0];
  }

  private static boolean isNothing(@Nullable Object given) {
    return given == null
        || given.equals(Optional.empty())
        || given.equals(false)
        || given instanceof Number number && number.longValue() == 0
        || given instanceof Collection<?> many && many.isEmpty()
        || given instanceof Map<?, ?> map && map.isEmpty();
  }

  private Object[] arguments(Method method) {
    return Arrays.stream(method.getGenericParameterTypes()).map(this::argument).toArray();
  }

  private Object argument(Type type) {
    if (type instanceof ParameterizedType generic) {
      if (isRecord(generic)) {
        return argument(generic.getRawType());
      }
      Object element = argument(generic.getActualTypeArguments()[0]);
      return switch (((Class<?>) generic.getRawType()).getSimpleName()) {
        case "Set" -> Set.of(element);
        case "Map" -> Map.of(element, argument(generic.getActualTypeArguments()[1]));
        default -> List.of(element);
      };
    }
    return values.stream()
        .filter(value -> boxed((Class<?>) type).isInstance(value))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("the test has no value of " + type));
  }

  private static Class<?> boxed(Class<?> type) {
    return type == int.class ? Integer.class : type == long.class ? Long.class : type;
  }
}
