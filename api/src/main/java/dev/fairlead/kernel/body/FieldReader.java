package dev.fairlead.kernel.body;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;

/**
 * Reads a value of a request record in a form that no constraint can express.
 * {@code @JsonDeserialize} names it, as {@code using} for a component and as {@code contentUsing}
 * for the items of a list.
 */
public abstract class FieldReader<T> extends StdDeserializer<T> {
  protected FieldReader() {
    super(Object.class);
  }

  /** Returns empty, or reports a problem of the value, unless the value is acceptable. */
  protected abstract Optional<T> read(Value value);

  @Override
  @SuppressWarnings({"NullAway", "unchecked"}) // a refused value is null until it is reported
  public final @Nullable T deserialize(JsonParser parser, DeserializationContext context) {
    Value value = new Value(context.readTree(parser), "", new FieldProblems());
    Optional<T> read = read(value);
    return read.isPresent() && value.problems().none()
        ? read.get()
        : (T) context.handleWeirdStringValue(Object.class, "", "refused");
  }
}
