package dev.fairlead.kernel.web;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.MethodParameter;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.bind.support.DefaultDataBinderFactory;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** The options of a change, from its request. */
class WriteOptionsTest {
  private final MockHttpServletRequest request = new MockHttpServletRequest();

  /** Operations, by their inputs. */
  @SuppressWarnings("unused")
  private static final class Operations {
    void all(@Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions o) {}

    void plain(WriteOptions options) {}

    void other(String text) {}
  }

  private static MethodParameter parameter(String operation) {
    for (Method method : Operations.class.getDeclaredMethods()) {
      if (method.getName().equals(operation)) {
        return new MethodParameter(method, 0);
      }
    }
    throw new IllegalArgumentException(operation);
  }

  private WriteOptions read(String operation) throws Exception {
    ConfigurableWebBindingInitializer binding = new ConfigurableWebBindingInitializer();
    binding.setConversionService(new DefaultFormattingConversionService());
    return (WriteOptions)
        new WriteOptionsResolver()
            .resolveArgument(
                parameter(operation),
                null,
                new ServletWebRequest(request),
                new DefaultDataBinderFactory(binding));
  }

  @Test
  void requestWithoutOptionsAcceptsAnyVersionAndHasNoKey() throws Exception {
    WriteOptions options = read("all");

    assertThat(options.validateOnly()).isFalse();
    assertThat(options.ifGiven(() -> 7)).isNull();
    assertThat(options.key("createPool")).isNull();
  }

  /** Fails when a required If-Match may be left out. */
  @Test
  void operationThatRequiresAVersionRejectsARequestWithoutOne() throws Exception {
    WriteOptions options = read("all");

    assertThatThrownBy(() -> options.expected(() -> 7))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.PRECONDITION_REQUIRED));
  }

  @ParameterizedTest
  @CsvSource({"true, true", "on, true", "1, true", "false, false", "off, false"})
  void validateOnlyIsParsedLikeEveryFlag(String text, boolean wanted) throws Exception {
    request.addParameter("validateOnly", text);

    assertThat(read("plain").validateOnly()).isEqualTo(wanted);
  }

  /** Fails when an invalid flag counts as false: the change would be stored. */
  @Test
  void invalidFlagIsRejectedByItsName() {
    request.addParameter("validateOnly", "maybe");

    assertThatThrownBy(() -> read("plain"))
        .isInstanceOfSatisfying(
            MethodArgumentTypeMismatchException.class,
            wrong -> assertThat(wrong.getName()).isEqualTo("validateOnly"));
  }

  /** Fails when only the first value of a repeated header counts. */
  @Test
  void repeatedHeaderIsOneList() throws Exception {
    request.addHeader("If-Match", "\"6\"");
    request.addHeader("If-Match", "\"7\"");

    assertThat(read("all").expected(() -> 7)).isEqualTo(7);
  }

  @Test
  void keyIsBoundToItsOperation() throws Exception {
    request.addHeader("Idempotency-Key", "once");

    assertThat(read("all").key("job 1")).isEqualTo(new RequestKey("once", "job 1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " blank first", "umlaut ü"})
  void unprintableKeyIsRejected(String key) throws Exception {
    request.addHeader("Idempotency-Key", key);
    WriteOptions options = read("all");

    assertThatThrownBy(() -> options.key("createPool"))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("write-options.idempotency-key-must-printable", 1, 255, "ASCII"));
  }

  /**
   * Fails when an operation reads an undocumented header, such as a key, or a version that is never
   * requested.
   */
  @Test
  void operationCannotReadUnsupportedOptions() throws Exception {
    WriteOptions options = read("plain");

    assertThatThrownBy(() -> options.ifGiven(() -> 7)).hasMessageContaining("IF_MATCH");
    assertThatThrownBy(() -> options.key("createPool")).hasMessageContaining("KEY");
  }

  @Test
  void unrelatedParameterTypesAreIgnored() {
    assertThat(WriteOptions.taken(parameter("other"))).isEmpty();
    assertThat(WriteOptions.taken(parameter("plain")))
        .containsExactly(WritePart.VALIDATE_ONLY, WritePart.REASON);
    assertThat(new WriteOptionsResolver().supportsParameter(parameter("other"))).isFalse();
  }
}
