package dev.fairlead.work.policy.service;

import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.fairlead.work.policy.Policy;
import dev.fairlead.work.policy.PolicyExpressions;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** {@link PolicyExpressions} in the Common Expression Language. Compiled expressions are cached. */
@Component
public class CelExpressions implements PolicyExpressions {
  private static final int MOST_ITERATIONS = 2_000;
  private static final int DEEPEST = 32;
  private static final int LARGEST_REGEX = 1_000;
  private static final int MOST_CACHED = 4_096;
  private static final int LONGEST_REASON = 200;
  private static final String JOB = "job";

  /** Compiler and runtime, made when the first policy is stored or judged. */
  private static final class Language {
    static final CelOptions OPTIONS =
        CelOptions.current()
            .maxExpressionCodePointSize(Policy.LONGEST_EXPRESSION)
            .maxParseRecursionDepth(DEEPEST)
            .comprehensionMaxIterations(MOST_ITERATIONS)
            .maxRegexProgramSize(LARGEST_REGEX)
            .enableHeterogeneousNumericComparisons(true)
            .build();
    static final CelCompiler COMPILER =
        CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar(JOB, MapType.create(SimpleType.STRING, SimpleType.DYN))
            .setResultType(SimpleType.BOOL)
            .build();
    static final CelRuntime RUNTIME =
        CelRuntimeFactory.legacyCelRuntimeBuilder().setOptions(OPTIONS).build();
  }

  private final Map<String, CelRuntime.Program> compiled = new ConcurrentHashMap<>();

  @Override
  public Optional<String> problem(String expression) {
    try {
      CelRuntime.Program _ = program(expression);
      return Optional.empty();
    } catch (CelValidationException | CelEvaluationException broken) {
      return Optional.of(reason(broken));
    }
  }

  @Override
  public boolean allows(String expression, SortedMap<String, Object> job) {
    try {
      CelRuntime.Program program = compiled.get(expression);
      if (program == null) {
        if (compiled.size() >= MOST_CACHED) {
          compiled.clear();
        }
        program = program(expression);
        compiled.put(expression, program);
      }
      if (program.eval(Map.of(JOB, job)) instanceof Boolean allowed) {
        return allowed;
      }
      throw new IllegalArgumentException("its result is neither true nor false");
    } catch (CelValidationException | CelEvaluationException failed) {
      throw new IllegalArgumentException(reason(failed), failed);
    }
  }

  private static CelRuntime.Program program(String expression)
      throws CelValidationException, CelEvaluationException {
    return Language.RUNTIME.createProgram(Language.COMPILER.compile(expression).getAst());
  }

  private static String reason(Exception broken) {
    String message = String.valueOf(broken.getMessage()).lines().findFirst().orElse("");
    return message.substring(0, Math.min(message.length(), LONGEST_REASON));
  }
}
