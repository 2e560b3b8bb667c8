package dev.fairlead.kernel.openapi;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JavaType;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.ValueTexts;
import dev.fairlead.kernel.mapping.BodyOf;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverter;
import io.swagger.v3.core.converter.ModelConverterContext;
import io.swagger.v3.core.util.Json;
import io.swagger.v3.oas.annotations.media.Schema.RequiredMode;
import io.swagger.v3.oas.models.media.Schema;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Derives schemas from types: a component of a record is required unless it is {@code @Nullable},
 * and a nullable one may be null. Requests ({@code ...Request}) have no additional properties,
 * because unknown fields are refused.
 */
final class RecordSchemas implements ModelConverter {
  private static final String OURS = "dev.fairlead.";
  private static final String DURATION = "^[0-9]{1,9}(ms|s|m|h|d)$";

  @Override
  public @Nullable Schema<?> resolve(
      AnnotatedType type, ModelConverterContext context, Iterator<ModelConverter> chain) {
    if (type.getCtxAnnotations() != null) {
      for (Annotation annotation : type.getCtxAnnotations()) {
        if (annotation instanceof BodyOf body) {
          return context.resolve(new AnnotatedType(body.value()).resolveAsRef(true));
        }
      }
    }
    JavaType java = Json.mapper().constructType(type.getType());
    Class<?> raw = java == null ? null : java.getRawClass();
    if (raw != null && ValueTexts.contains(raw)) {
      return context.resolve(
          new AnnotatedType(String.class).ctxAnnotations(type.getCtxAnnotations()));
    }
    Schema<?> resolved = chain.hasNext() ? chain.next().resolve(type, context, chain) : null;
    if (resolved != null && raw != null && raw.isRecord() && raw.getName().startsWith(OURS)) {
      complete(raw, model(resolved, context));
    }
    return resolved;
  }

  private static @Nullable Schema<?> model(Schema<?> resolved, ModelConverterContext context) {
    String reference = resolved.get$ref();
    return reference == null
        ? resolved
        : context.getDefinedModels().get(reference.substring(reference.lastIndexOf('/') + 1));
  }

  private static void complete(Class<?> raw, @Nullable Schema<?> model) {
    if (model == null) {
      return;
    }
    SchemaTexts.describe(raw, model);
    if (model.getProperties() == null) {
      return;
    }
    List<String> required = new ArrayList<>();
    for (RecordComponent component : raw.getRecordComponents()) {
      String name = name(component);
      if (!model.getProperties().containsKey(name)) {
        continue; // hidden by the record that contains it
      }
      if (!nullable(component)) {
        if (!filled(component)) {
          required.add(name);
        }
      } else {
        model.getProperties().computeIfPresent(name, (n, property) -> orNull(property));
      }
      Schema<?> property = model.getProperties().get(name);
      if (property != null) {
        String text = property.getDescription();
        property.setDescription(
            SchemaTexts.withDefault(
                model,
                name,
                text == null ? SchemaTexts.of(raw, model, component.getName(), name) : text));
      }
    }
    model.setRequired(required.isEmpty() ? null : required);
    model.getProperties().values().forEach(RecordSchemas::addItems);
    if (String.valueOf(model.getName()).endsWith("Request")) {
      model.setAdditionalProperties(false);
      addConstraints(raw, model);
    }
  }

  /**
   * A text or a list of texts: client generators refuse an array without items. A set is a list for
   * clients, as its order is fixed.
   */
  private static void addItems(Schema<?> property) {
    property.setUniqueItems(null);
    if (property.getTypes() != null
        && property.getTypes().contains("array")
        && property.getItems() == null) {
      property.setItems(new Schema<>().types(new LinkedHashSet<>(List.of("string"))));
    }
  }

  /** Constraints that springdoc does not support. */
  private static void addConstraints(Class<?> raw, Schema<?> model) {
    for (RecordComponent component : raw.getRecordComponents()) {
      Schema<?> property = model.getProperties().get(name(component));
      if (property != null) {
        if (component.getType() == Duration.class && property.getFormat() == null) {
          property.pattern(DURATION);
        }
        addToForms(property);
        addLabel(property, component.getAccessor().getAnnotation(DnsLabel.class));
        if (property.getItems() != null
            && component.getAnnotatedType() instanceof AnnotatedParameterizedType list) {
          addLabel(
              property.getItems(),
              list.getAnnotatedActualTypeArguments()[0].getAnnotation(DnsLabel.class));
        }
      }
    }
  }

  /** Moves the bounds of a number to its form, for a field that is a number or a text. */
  private static void addToForms(Schema<?> property) {
    BigDecimal least = property.getMinimum();
    BigDecimal most = property.getMaximum();
    if (property.getOneOf() == null || least == null || most == null) {
      return;
    }
    property.setTypes(null);
    property.setFormat(null);
    property.minimum(null).maximum(null);
    property.getOneOf().stream()
        .filter(form -> form.getTypes() != null)
        .filter(form -> form.getTypes().contains("integer") || form.getTypes().contains("number"))
        .forEach(form -> form.minimum(least).maximum(most));
  }

  private static void addLabel(Schema<?> text, @Nullable DnsLabel label) {
    if (label != null) {
      Schema<?> _ = text.pattern(DnsLabel.PATTERN).maxLength(label.max());
    }
  }

  private static boolean nullable(RecordComponent component) {
    return component.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  /** Returns whether the server fills the component where a request lacks it. */
  private static boolean filled(RecordComponent component) {
    io.swagger.v3.oas.annotations.media.Schema given =
        component.getAccessor().getAnnotation(io.swagger.v3.oas.annotations.media.Schema.class);
    return given != null && given.requiredMode() == RequiredMode.NOT_REQUIRED;
  }

  private static String name(RecordComponent component) {
    Method accessor = component.getAccessor();
    JsonProperty given = accessor.getAnnotation(JsonProperty.class);
    return given == null || given.value().isEmpty() ? component.getName() : given.value();
  }

  /** A closed list must contain null as well. */
  @SuppressWarnings("unchecked")
  private static void allowNull(Schema<?> property) {
    List<Object> allowed = (List<Object>) property.getEnum();
    if (allowed != null && !allowed.contains(null)) {
      List<Object> more = new ArrayList<>(allowed);
      more.add(null);
      ((Schema<Object>) property).setEnum(more);
    }
  }

  private static Schema<?> orNull(Schema<?> property) {
    if (property.get$ref() != null) {
      Schema<Object> either = new Schema<>();
      return either.oneOf(
          List.of(property, new Schema<>().types(new LinkedHashSet<>(List.of("null")))));
    }
    if (property.getOneOf() != null) {
      boolean has =
          property.getOneOf().stream()
              .anyMatch(s -> s.getTypes() != null && s.getTypes().contains("null"));
      if (!has) {
        property.addOneOfItem(new Schema<>().types(new LinkedHashSet<>(List.of("null"))));
      }
      return property;
    }
    if (property.getTypes() != null) {
      property.addType("null");
    }
    allowNull(property);
    return property;
  }
}
