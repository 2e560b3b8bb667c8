package dev.fairlead.kernel.body;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Flavor;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Writes values of the domain in the text form that requests use, so that a response can be a view
 * of the service or a value of the domain.
 */
@Component
public final class ValueTexts extends SimpleModule {
  public ValueTexts() {
    super("value-texts");
    addSerializer(new Text<>(Id.class, Id::text));
    addSerializer(new Text<>(Duration.class, DurationText::of));
    addSerializer(new Text<>(Flavor.class, Flavor::text));
  }

  /** Returns whether values of the type are texts in JSON. */
  public static boolean contains(Class<?> type) {
    return Stream.of(Id.class, Duration.class, Flavor.class)
        .anyMatch(text -> text.isAssignableFrom(type));
  }

  private static final class Text<T> extends StdSerializer<T> {
    private final Function<T, String> text;

    Text(Class<T> type, Function<T, String> text) {
      super(type);
      this.text = text;
    }

    @Override
    public void serialize(T value, JsonGenerator json, SerializationContext context) {
      json.writeString(text.apply(value));
    }
  }
}
