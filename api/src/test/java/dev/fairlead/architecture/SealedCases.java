package dev.fairlead.architecture;

import com.sun.source.tree.BindingPatternTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.DeconstructionPatternTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.PatternCaseLabelTree;
import com.sun.source.tree.PatternTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/**
 * Simple names of the types that a sealed type permits, read from the sources alone. Treats a
 * switch with a pattern of these types as a switch over a sealed type.
 */
final class SealedCases {

  private SealedCases() {}

  static Set<String> in(List<? extends CompilationUnitTree> units) {
    Set<String> sealed = new TreeSet<>();
    Set<String> cases = new TreeSet<>();
    for (CompilationUnitTree unit : units) {
      new TreeScanner<Void, Void>() {
        @Override
        public Void visitClass(ClassTree type, Void none) {
          if (type.getModifiers().getFlags().contains(Modifier.SEALED)) {
            sealed.add(type.getSimpleName().toString());
            type.getPermitsClause().forEach(permitted -> cases.add(simpleName(permitted)));
          }
          return super.visitClass(type, none);
        }
      }.scan(unit, null);
    }
    // without a permits clause the cases are in the same file and implement the interface
    for (CompilationUnitTree unit : units) {
      new TreeScanner<Void, Void>() {
        @Override
        public Void visitClass(ClassTree type, Void none) {
          if (superTypes(type).map(SealedCases::simpleName).anyMatch(sealed::contains)) {
            cases.add(type.getSimpleName().toString());
          }
          return super.visitClass(type, none);
        }
      }.scan(unit, null);
    }
    return cases;
  }

  /** Simple names of the types that the cases of a switch match. */
  static Stream<String> matched(List<? extends CaseTree> cases) {
    return cases.stream()
        .flatMap(each -> each.getLabels().stream())
        .filter(PatternCaseLabelTree.class::isInstance)
        .map(label -> ((PatternCaseLabelTree) label).getPattern())
        .flatMap(SealedCases::typeOf)
        .map(SealedCases::simpleName);
  }

  private static Stream<Tree> typeOf(PatternTree pattern) {
    return switch (pattern) {
      case BindingPatternTree binding -> Stream.of(binding.getVariable().getType());
      case DeconstructionPatternTree record -> Stream.of(record.getDeconstructor());
      default -> Stream.of();
    };
  }

  private static Stream<Tree> superTypes(ClassTree type) {
    Stream<Tree> extended = Stream.ofNullable(type.getExtendsClause());
    return Stream.concat(extended, type.getImplementsClause().stream());
  }

  private static String simpleName(Tree type) {
    return switch (type) {
      case MemberSelectTree selected -> selected.getIdentifier().toString();
      case ParameterizedTypeTree generic -> simpleName(generic.getType());
      default -> type.toString();
    };
  }
}
