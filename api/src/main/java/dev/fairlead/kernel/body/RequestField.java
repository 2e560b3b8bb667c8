package dev.fairlead.kernel.body;

import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.node.ObjectNode;

/**
 * One component of a request record, and the message for a value that it does not accept. The
 * message contains the bounds of the component's constraints.
 */
final class RequestField {
  private static final int LONGEST_TEXT = BodyReader.LARGEST;

  /** Reflection reads annotations again for each new component, and a body has many records. */
  private static final ClassValue<List<RequestField>> FIELDS =
      new ClassValue<>() {
        @Override
        protected List<RequestField> computeValue(Class<?> type) {
          return Arrays.stream(type.getRecordComponents()).map(RequestField::new).toList();
        }
      };

  private final RecordComponent component;
  private final Method accessor;
  private final String name;
  private final boolean required;
  private final @Nullable Class<? extends Record> nested;
  private final int mostItems;

  private RequestField(RecordComponent component) {
    this.component = component;
    this.accessor = component.getAccessor();
    this.accessor.setAccessible(true);
    JsonProperty other = annotation(JsonProperty.class);
    this.name = other == null ? component.getName() : other.value();
    this.required = !component.getAnnotatedType().isAnnotationPresent(Nullable.class);
    Class<?> type = itemType(component);
    this.nested =
        type.isRecord() && annotation(JsonDeserialize.class) == null
            ? type.asSubclass(Record.class)
            : null;
    Size size = annotation(Size.class);
    this.mostItems =
        component.getType() == List.class && size != null ? size.max() : Integer.MAX_VALUE;
  }

  /** The components of a record in their order. */
  static List<RequestField> of(Class<?> type) {
    return FIELDS.get(type);
  }

  /** The name in the request of a component. */
  static String nameOf(Class<?> type, String component) {
    return of(type).stream()
        .filter(field -> field.component.getName().equals(component))
        .findFirst()
        .map(RequestField::name)
        .orElse(component);
  }

  /** The name in the request, which may not be a name in Java. */
  String name() {
    return name;
  }

  /** A component without {@code @Nullable} must be in the request. */
  boolean required() {
    return required;
  }

  /** The description in the API document, used as a hint for the value. */
  String hint() {
    io.swagger.v3.oas.annotations.media.Schema schema =
        annotation(io.swagger.v3.oas.annotations.media.Schema.class);
    String text =
        schema == null || schema.description().isEmpty()
            ? RecordTexts.of(component.getDeclaringRecord(), component.getName())
            : schema.description();
    return text == null ? "give it." : text.endsWith(".") ? text : text + ".";
  }

  /** The type of the component, or of the items of a list. */
  private static Class<?> itemType(RecordComponent component) {
    return component.getGenericType() instanceof ParameterizedType of
            && of.getActualTypeArguments()[0] instanceof Class<?> item
        ? item
        : component.getType();
  }

  /** The record of a nested object or of the items of a list, null for any other type. */
  @Nullable Class<? extends Record> nested() {
    return nested;
  }

  /** Maximum number of items of a list. */
  int mostItems() {
    return mostItems;
  }

  /** The value of the component in a record. */
  @Nullable Object of(Record record) {
    try {
      return accessor.invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("component " + name() + " cannot be read", e);
    }
  }

  /**
   * Reports that the value of the component, or an item of it, is not acceptable.
   *
   * @param message message of the violated constraint, used if the constraint has no message
   */
  void refuse(Value value, String message, boolean item) {
    FieldProblems found = new FieldProblems();
    explain(value.in(found), item);
    if (found.none()) {
      value.bad(message, null);
    }
    value.problems().addAll(found);
  }

  private void explain(Value value, boolean item) {
    FieldReader<?> reader = reader(item);
    if (reader != null) {
      Optional<?> _ = reader.read(value);
      return;
    }
    Class<?> type = item ? itemType(component) : component.getType();
    DnsLabel label = item ? itemAnnotation(DnsLabel.class) : annotation(DnsLabel.class);
    Size size = item ? itemAnnotation(Size.class) : annotation(Size.class);
    if (label != null) {
      Names.label(value, label.max());
    } else if (type == String.class) {
      value.text(size == null ? LONGEST_TEXT : size.max());
    } else if (type == Integer.class || type == Long.class) {
      Min least = item ? itemAnnotation(Min.class) : annotation(Min.class);
      Max most = item ? itemAnnotation(Max.class) : annotation(Max.class);
      value.integer(
          least == null ? Integer.MIN_VALUE : (int) least.value(),
          most == null ? Integer.MAX_VALUE : (int) Math.min(most.value(), Integer.MAX_VALUE));
    } else if (type == Double.class) {
      value.number();
    } else if (type == BigDecimal.class) {
      Max most = annotation(Max.class);
      AmountFields.micros(value, new BigDecimal(most == null ? Long.MAX_VALUE : most.value()));
    } else if (type == Instant.class) {
      value.time();
    } else if (type == Duration.class) {
      value.duration(leastDuration(), mostDuration());
    } else if (type.isEnum()) {
      value.oneOf(Value.names(type));
    } else if (type == Boolean.class) {
      value.flag();
    } else if (type == List.class) {
      refuseSize(value, size);
    } else if (type.isRecord() || type == ObjectNode.class || Map.class.isAssignableFrom(type)) {
      value.fields();
    }
  }

  private static void refuseSize(Value list, @Nullable Size size) {
    if (size != null && size.min() > 0) {
      list.someItems(size.max());
    } else {
      list.items(size == null ? Integer.MAX_VALUE : size.max());
    }
  }

  private @Nullable FieldReader<?> reader(boolean item) {
    JsonDeserialize given = annotation(JsonDeserialize.class);
    if (given == null) {
      return null;
    }
    Class<?> type = item ? given.contentUsing() : given.using();
    return FieldReader.class.isAssignableFrom(type)
        ? (FieldReader<?>) BeanUtils.instantiateClass(type)
        : null;
  }

  private Duration leastDuration() {
    DurationMin least = annotation(DurationMin.class);
    return least == null
        ? Duration.ZERO
        : Duration.ofDays(least.days())
            .plusHours(least.hours())
            .plusMinutes(least.minutes())
            .plusSeconds(least.seconds())
            .plusMillis(least.millis());
  }

  private Duration mostDuration() {
    DurationMax most = annotation(DurationMax.class);
    return most == null
        ? RequestMapper.LONGEST
        : Duration.ofDays(most.days())
            .plusHours(most.hours())
            .plusMinutes(most.minutes())
            .plusSeconds(most.seconds())
            .plusMillis(most.millis());
  }

  /** A constraint of the items of a list, as in {@code List<@Size(max = 8) String>}. */
  private <A extends Annotation> @Nullable A itemAnnotation(Class<A> type) {
    return component.getAnnotatedType() instanceof AnnotatedParameterizedType list
        ? list.getAnnotatedActualTypeArguments()[0].getAnnotation(type)
        : null;
  }

  private <A extends Annotation> @Nullable A annotation(Class<A> type) {
    return accessor.getAnnotation(type);
  }
}
