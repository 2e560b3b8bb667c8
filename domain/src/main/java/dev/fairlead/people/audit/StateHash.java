package dev.fairlead.people.audit;

import dev.fairlead.kernel.identity.Sha256;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The hash of a stored object: SHA-256 of its JSON with members sorted by name. Absent and empty
 * members are omitted, so a member that a later version adds does not change the hash until it is
 * set.
 */
public final class StateHash {
  private static final ClassValue<SortedMap<String, Method>> MEMBERS =
      new ClassValue<>() {
        @Override
        protected SortedMap<String, Method> computeValue(Class<?> type) {
          SortedMap<String, Method> found = new TreeMap<>();
          for (RecordComponent component : type.getRecordComponents()) {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            found.put(component.getName(), accessor);
          }
          return found;
        }
      };

  private final StringBuilder json = new StringBuilder();

  private StateHash() {}

  /** Returns 64 hexadecimal digits. */
  public static String of(Object state) {
    return Sha256.hex(json(state));
  }

  static String json(Object state) {
    StateHash hash = new StateHash();
    hash.write(state);
    return hash.json.toString();
  }

  private void write(Object value) {
    switch (value) {
      case Record state -> object(MEMBERS.get(state.getClass()), each -> member(state, each));
      case Map<?, ?> map -> object(entries(map), each -> each);
      case Collection<?> all -> list(all);
      case Optional<?> maybe -> list(maybe.stream().toList());
      case Boolean said -> json.append(said);
      case Long number -> json.append(number);
      case Integer number -> json.append(number);
      case Enum<?> constant -> text(constant.name());
      /* The database has microsecond precision. */
      case Instant at -> text(at.truncatedTo(ChronoUnit.MICROS).toString());
      default -> text(value.toString());
    }
  }

  private static SortedMap<String, @Nullable Object> entries(Map<?, ?> map) {
    SortedMap<String, @Nullable Object> found = new TreeMap<>();
    map.forEach((key, value) ->
        found.put(
            key instanceof Record || key instanceof Enum ? json(key) : key.toString(), value));
    return found;
  }

  private static @Nullable Object member(Record state, Method accessor) {
    try {
      return accessor.invoke(state);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }

  private <V extends @Nullable Object> void object(
      SortedMap<String, V> members, Function<V, @Nullable Object> values) {
    char before = '{';
    for (Map.Entry<String, V> member : members.entrySet()) {
      Object value = values.apply(member.getValue());
      if (value != null && !empty(value)) {
        json.append(before);
        text(member.getKey());
        json.append(':');
        write(value);
        before = ',';
      }
    }
    json.append(before == '{' ? "{}" : "}");
  }

  private static boolean empty(Object value) {
    return value instanceof Collection<?> all && all.isEmpty()
        || value instanceof Map<?, ?> map && map.isEmpty()
        || value instanceof Optional<?> maybe && maybe.isEmpty();
  }

  private void list(Collection<?> all) {
    json.append('[');
    List<Object> items = new ArrayList<>(all);
    for (int i = 0; i < items.size(); i++) {
      json.append(i == 0 ? "" : ",");
      write(items.get(i));
    }
    json.append(']');
  }

  private void text(String said) {
    json.append('"');
    int from = 0;
    for (int i = 0; i < said.length(); i++) {
      char c = said.charAt(i);
      if (c == '"' || c == '\\' || c < ' ') {
        json.append(said, from, i);
        json.append(c < ' ' ? "\\u%04x".formatted((int) c) : "\\" + c);
        from = i + 1;
      }
    }
    json.append(said, from, said.length()).append('"');
  }
}
