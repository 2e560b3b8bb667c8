package dev.fairlead.work.policy.service;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.fairlead.kernel.pattern.TextPatterns;
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

  /** Compiler and runtime, created when the first policy is stored or evaluated. */
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

  private final TextPatterns patterns;
  private final Map<String, CelRuntime.Program> compiled = new ConcurrentHashMap<>();

  public CelExpressions(TextPatterns patterns) {
    this.patterns = patterns;
  }

  @Override
  public Optional<String> problem(String expression) {
    try {
      CelRuntime.Program _ = program(expression);
      CelNavigableAst.fromAst(Language.COMPILER.compile(expression).getAst())
          .getRoot()
          .allNodes()
          .map(CelNavigableExpr::expr)
          .filter(node -> node.getKind() == CelExpr.ExprKind.Kind.SELECT)
          .map(CelExpr::select)
          .forEach(CelExpressions::refuseUnknown);
      return Optional.empty();
    } catch (CelValidationException broken) {
      return Optional.of(bounded(CompilerErrors.text(broken, expression)));
    } catch (CelEvaluationException | IllegalArgumentException broken) {
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
      EvaluationCost cost = new EvaluationCost();
      Object result = program.trace(Map.of(JOB, job), cost);
      if (cost.exceeded()) {
        throw new IllegalArgumentException("its cost exceeds the limit");
      }
      if (result instanceof Boolean allowed) {
        return allowed;
      }
      throw new IllegalArgumentException("its result is neither true nor false");
    } catch (CelValidationException | CelEvaluationException | IllegalStateException failed) {
      throw new IllegalArgumentException(reason(failed), failed);
    }
  }

  private CelRuntime.Program program(String expression)
      throws CelValidationException, CelEvaluationException {
    CelAbstractSyntaxTree tree = Language.COMPILER.compile(expression).getAst();
    CelNavigableAst.fromAst(tree)
        .getRoot()
        .allNodes()
        .map(CelNavigableExpr::expr)
        .filter(node -> node.getKind() == CelExpr.ExprKind.Kind.CALL)
        .map(CelExpr::call)
        .filter(call -> call.function().equals(EvaluationCost.MATCHES))
        .forEach(call -> refuseUnsafe(call.args().getLast()));
    return Language.RUNTIME.createProgram(tree);
  }

  /** A misspelt name would refuse every job, and under has() allow every job. */
  private static void refuseUnknown(CelExpr.CelSelect select) {
    CelExpr of = select.operand();
    boolean ofJob = of.getKind() == CelExpr.ExprKind.Kind.IDENT && of.ident().name().equals(JOB);
    if (ofJob && !Policy.FACTS.contains(select.field())) {
      throw new IllegalArgumentException(
          "job has no value \"%s\". It has: %s"
              .formatted(select.field(), String.join(", ", Policy.FACTS)));
    }
  }

  /**
   * RE2 expands repetitions while it compiles, so a pattern that is not a constant has no limit.
   */
  private void refuseUnsafe(CelExpr pattern) {
    if (pattern.getKind() != CelExpr.ExprKind.Kind.CONSTANT
        || pattern.constant().getKind() != CelConstant.Kind.STRING_VALUE) {
      throw new IllegalArgumentException(
          "the regular expression of matches is not a constant text");
    }
    patterns
        .problem(pattern.constant().stringValue())
        .ifPresent(why -> {
          throw new IllegalArgumentException("a regular expression is refused: " + why);
        });
  }

  private static String reason(Exception broken) {
    return bounded(String.valueOf(broken.getMessage()).lines().findFirst().orElse(""));
  }

  private static String bounded(String message) {
    return message.substring(0, Math.min(message.length(), LONGEST_REASON));
  }
}
