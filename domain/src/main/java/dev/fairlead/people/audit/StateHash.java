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
      case Record state -> object(members(state));
      case Map<?, ?> map -> object(entries(map));
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

  private static SortedMap<String, @Nullable Object> members(Record state) {
    SortedMap<String, @Nullable Object> found = new TreeMap<>();
    MEMBERS
        .get(state.getClass())
        .forEach((name, accessor) -> {
          try {
            found.put(name, accessor.invoke(state));
          } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
          }
        });
    return found;
  }

  private static SortedMap<String, @Nullable Object> entries(Map<?, ?> map) {
    SortedMap<String, @Nullable Object> found = new TreeMap<>();
    map.forEach((key, value) ->
        found.put(
            key instanceof Record || key instanceof Enum ? json(key) : key.toString(), value));
    return found;
  }

  private void object(SortedMap<String, @Nullable Object> members) {
    char before = '{';
    for (Map.Entry<String, @Nullable Object> member : members.entrySet()) {
      Object value = member.getValue();
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
    for (int i = 0; i < said.length(); i++) {
      char c = said.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}
