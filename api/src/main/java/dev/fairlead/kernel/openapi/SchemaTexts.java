package dev.fairlead.kernel.openapi;

import dev.fairlead.kernel.body.RecordTexts;
import io.swagger.v3.oas.models.media.Schema;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Descriptions of schemas and properties without an {@code @Schema}. Precedence: the description of
 * the schema, the Javadoc of the record, the text for any property of that name. A test generates
 * {@code javadoc.properties} from the sources. {@code words.properties} is hand-written.
 */
final class SchemaTexts {
  private static final Properties WORDS = RecordTexts.read("words");
  private static final Properties JOB_FIELDS = RecordTexts.read("job-fields");
  private static final String DEFAULT = " Default: ";

  private SchemaTexts() {}

  /** Sets the description of a schema that has none. */
  static void describe(Class<?> raw, Schema<?> model) {
    if (model.getDescription() == null) {
      model.setDescription(
          first(WORDS.getProperty(String.valueOf(model.getName())), RecordTexts.of(raw)));
    }
  }

  /**
   * @param component name in the record, which may differ from the name of the property
   * @return null for a property without any text
   */
  static @Nullable String of(Class<?> raw, Schema<?> model, String component, String property) {
    String own = WORDS.getProperty(model.getName() + "." + property);
    return first(own, first(RecordTexts.of(raw, component), WORDS.getProperty(property)));
  }

  /**
   * The description with the default of a field of a job file. The document has no defaults as
   * values, because generated clients would send them.
   */
  static @Nullable String withDefault(Schema<?> model, String property, @Nullable String text) {
    String value = JOB_FIELDS.getProperty(model.getName() + "." + property + ".default");
    return value == null || text == null || text.contains(DEFAULT)
        ? text
        : text + DEFAULT + value + ".";
  }

  private static @Nullable String first(@Nullable String one, @Nullable String other) {
    return one == null ? other : one;
  }
}
