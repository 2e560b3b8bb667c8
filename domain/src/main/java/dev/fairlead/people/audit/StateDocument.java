package dev.fairlead.people.audit;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Parses documents of the configuration history. */
public final class StateDocument {
  private StateDocument() {}

  /**
   * Parses the object of a document. The result is empty if another version of the product wrote
   * it: it has unknown members, lacks required ones, or has another text form.
   */
  public static <T extends Record> Optional<T> read(String json, Class<T> type) {
    try {
      T read = type.cast(value(StateText.read(json), type));
      return StateHash.json(read).equals(json) ? Optional.of(read) : Optional.empty();
    } catch (IllegalArgumentException | DateTimeException | ReflectiveOperationException other) {
      return Optional.empty();
    }
  }

  private static Object value(Object read, Type type) throws ReflectiveOperationException {
    if (type instanceof ParameterizedType of && of.getRawType() instanceof Class<?> raw) {
      return several(read, raw, of.getActualTypeArguments());
    }
    if (!(type instanceof Class<?> wanted)) {
      throw new IllegalArgumentException("of no known type: " + type);
    }
    if (wanted.isRecord()) {
      return object(members(read), wanted);
    }
    return wanted.isEnum() ? constant(read, wanted) : simple(read, wanted);
  }

  private static Object several(Object read, Class<?> raw, Type[] of)
      throws ReflectiveOperationException {
    if (Map.class.isAssignableFrom(raw)) {
      TreeMap<Object, Object> map = new TreeMap<>();
      for (Map.Entry<String, Object> entry : members(read).entrySet()) {
        Object key =
            of[0] == String.class ? entry.getKey() : value(StateText.read(entry.getKey()), of[0]);
        map.put(key, value(entry.getValue(), of[1]));
      }
      return map;
    }
    if (!(read instanceof Collection<?> items)) {
      throw new IllegalArgumentException("no list");
    }
    List<Object> list = new ArrayList<>();
    for (Object item : items) {
      list.add(value(item, of[0]));
    }
    if (raw == List.class) {
      return list;
    }
    throw new IllegalArgumentException("of no known type: " + raw);
  }

  private static SortedMap<String, Object> members(Object read) {
    SortedMap<String, Object> members = new TreeMap<>();
    if (!(read instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("no object");
    }
    map.forEach((name, value) -> members.put(name.toString(), value));
    return members;
  }

  private static Object object(SortedMap<String, Object> members, Class<?> type)
      throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    @Nullable Object[] values = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      Object read = members.get(components[i].getName());
      values[i] =
          read == null ? absent(components[i]) : value(read, components[i].getGenericType());
    }
    Constructor<?> made = type.getDeclaredConstructor(types);
    made.setAccessible(true);
    try {
      return made.newInstance(values);
    } catch (InvocationTargetException refused) {
      throw new IllegalArgumentException("is none: " + type, refused);
    }
  }

  /** Empty and absent members are not written. */
  private static @Nullable Object absent(RecordComponent component) {
    AnnotatedElement use = component.getAnnotatedType();
    if (use.isAnnotationPresent(Nullable.class)) {
      return null;
    }
    if (component.getType() == List.class) {
      return List.of();
    }
    if (Map.class.isAssignableFrom(component.getType())) {
      return new TreeMap<>();
    }
    throw new IllegalArgumentException("lacks " + component.getName());
  }

  private static Object constant(Object read, Class<?> type) {
    for (Object constant : type.getEnumConstants()) {
      if (constant instanceof Enum<?> named && named.name().equals(read)) {
        return named;
      }
    }
    throw new IllegalArgumentException("none of " + type);
  }

  private static Object simple(Object read, Class<?> type) throws ReflectiveOperationException {
    if (read instanceof Boolean && (type == boolean.class || type == Boolean.class)) {
      return read;
    }
    if (read instanceof Long number) {
      if (type == long.class || type == Long.class) {
        return number;
      }
      if ((type == int.class || type == Integer.class) && number == number.intValue()) {
        return number.intValue();
      }
    }
    if (read instanceof String text) {
      return ofText(text, type);
    }
    throw new IllegalArgumentException("no " + type);
  }

  private static Object ofText(String text, Class<?> type) throws ReflectiveOperationException {
    if (type == String.class) {
      return text;
    } else if (type == UUID.class) {
      return UUID.fromString(text);
    } else if (type == BigInteger.class) {
      return new BigInteger(text);
    } else if (type == Instant.class) {
      return Instant.parse(text);
    } else if (type == Duration.class) {
      return Duration.parse(text);
    } else if (type == ZoneId.class) {
      return ZoneId.of(text);
    }
    try {
      return type.getMethod("parse", String.class).invoke(null, text);
    } catch (InvocationTargetException refused) {
      throw new IllegalArgumentException("no " + type, refused);
    }
  }
}
