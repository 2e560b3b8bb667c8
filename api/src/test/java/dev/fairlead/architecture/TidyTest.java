package dev.fairlead.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Small and plainly named code without leftovers: checked on the product and on planted violations.
 */
class TidyTest {

  private static final List<SourceFile> SOURCES = ProductCode.sources();

  private static final List<SourceFile> PRODUCT =
      SOURCES.stream().filter(file -> ProductCode.PRODUCT.contains(file.module())).toList();

  private static final List<SourceFile> TESTS = ProductCode.testSources();

  /**
   * Number of assertions that stated a sentence when the rule was introduced. The number never
   * grows.
   */
  private static final int SENTENCES = 62;

  private static final List<SourceFile> SIMULATION = ProductCode.simulationSources();

  @Nested
  class TheSimulation {

    @Test
    void has_sources_to_judge() {
      assertThat(SIMULATION).isNotEmpty();
    }

    @Test
    void has_no_file_over_500_lines_and_no_package_above_25_classes() {
      assertThat(TidyRules.longFiles(SIMULATION)).isEmpty();
      assertThat(TidyRules.largePackages(SIMULATION)).isEmpty();
    }

    @Test
    void names_no_type_with_an_empty_word_and_gives_a_reason_with_every_todo() {
      assertThat(TidyRules.bannedTypeNames(SIMULATION)).isEmpty();
      assertThat(TidyRules.todosWithoutReason(SIMULATION)).isEmpty();
    }
  }

  @Nested
  class TheTests {

    @Test
    void have_no_file_over_500_lines() {
      assertThat(TidyRules.longFiles(TESTS)).isEmpty();
    }

    @Test
    void take_new_sentences_from_the_files_of_texts() {
      assertThat(TestTextRules.sentences(TESTS)).hasSizeLessThanOrEqualTo(SENTENCES);
    }

    @Test
    void name_each_key_of_the_files_of_texts() {
      assertThat(TestTextRules.unusedTexts(ProductCode.textKeys(), TESTS)).isEmpty();
    }
  }

  @Nested
  class TheProduct {

    @Test
    void has_sources_to_judge() {
      assertThat(SOURCES).isNotEmpty();
    }

    @Test
    void has_no_function_over_70_lines() {
      assertThat(TidyRules.longFunctions(SOURCES)).isEmpty();
    }

    @Test
    void has_no_file_over_500_lines() {
      assertThat(TidyRules.longFiles(SOURCES)).isEmpty();
    }

    @Test
    void has_no_package_above_25_classes() {
      assertThat(TidyRules.largePackages(SOURCES)).isEmpty();
    }

    @Test
    void has_no_default_in_a_switch_over_a_sealed_type() {
      assertThat(TidyRules.defaultsOverSealedTypes(SOURCES)).isEmpty();
    }

    @Test
    void names_no_type_with_an_empty_word() {
      assertThat(TidyRules.bannedTypeNames(SOURCES)).isEmpty();
    }

    @Test
    void uses_glossary_or_field_terms_in_public_type_names() {
      List<SourceFile> product =
          SOURCES.stream().filter(file -> ProductCode.PRODUCT.contains(file.module())).toList();

      assertThat(TidyRules.unknownWords(product, FieldTerms.read(ProductCode.root()))).isEmpty();
    }

    @Test
    void gives_a_reason_with_every_todo() {
      assertThat(TidyRules.todosWithoutReason(SOURCES)).isEmpty();
    }

    @Test
    void has_no_unused_sql_file() {
      assertThat(TidyRules.unusedSql(ProductCode.sqlFiles(), SOURCES)).isEmpty();
    }

    @Test
    void calls_no_constructor_with_more_than_seven_arguments() {
      assertThat(PositionRules.longConstructorCalls(PRODUCT)).isEmpty();
    }

    @Test
    void sets_every_component_of_a_built_record() {
      assertThat(PositionRules.incompleteBuilders(PRODUCT)).isEmpty();
    }

    @Test
    void reads_write_options_in_one_place() {
      assertThat(TidyRules.writeOptionsByHand(SOURCES)).isEmpty();
    }

    @Test
    void has_no_hash_collections_in_domain_and_scheduler() {
      assertThat(TidyRules.hashCollectionsInTheCore(SOURCES)).isEmpty();
    }
  }

  @Nested
  class APlantedViolationIsFound {

    @Test
    void when_a_function_is_over_70_lines_but_not_at_70() {
      assertThat(TidyRules.longFunctions(List.of(java("class A {\n" + function(71) + "}\n"))))
          .containsExactly("domain/A.java:2: f has 71 lines");
      assertThat(TidyRules.longFunctions(List.of(java("class A {\n" + function(70) + "}\n"))))
          .isEmpty();
    }

    @Test
    void when_a_file_is_over_500_lines_but_not_at_500() {
      assertThat(TidyRules.longFiles(List.of(java("//\n".repeat(501)))))
          .containsExactly("domain/A.java has 501 lines");
      assertThat(TidyRules.longFiles(List.of(java("//\n".repeat(500))))).isEmpty();
    }

    @Test
    void when_an_assertion_contains_six_words_but_not_five() {
      String test = "class A { void a() { assertThat(b).isEqualTo(%s); } }";
      String six = test.formatted("\"waits for the window\"\n + \" of pool p\"");

      assertThat(TestTextRules.sentences(List.of(java(six)))).hasSize(1);
      assertThat(TestTextRules.sentences(List.of(java(test.formatted("\"waits for pool p 2 3\"")))))
          .isEmpty();
    }

    @Test
    void when_no_test_names_a_metric_key() {
      SourceFile test = java("class A { Object a = reason(\"queue.full\", 2); }");

      assertThat(TestTextRules.unusedTexts(List.of("queue.full", "queue.gone"), List.of(test)))
          .containsExactly("queue.gone");
    }

    @Test
    void when_a_package_has_26_classes_but_not_25() {
      assertThat(TidyRules.largePackages(Collections.nCopies(26, java(""))))
          .containsExactly("domain has 26 classes");
      assertThat(TidyRules.largePackages(Collections.nCopies(25, java("")))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "int f(Shape s) { return switch (s) { case Circle c -> 1; default -> 0; }; }",
          "int f(Shape s) { return switch (s) { case Shape.Circle c -> 1; default -> 0; }; }",
          "int f(Shape s) { return switch (s) { case Circle(int r) -> r; default -> 0; }; }",
          "int f(Shape s) { return switch (s) { case Circle c when c.r() > 1 -> 1; default -> 0; };"
              + " }",
          "int f(Shape s) { return switch (s) { case Circle c -> 1; case null, default -> 0; }; }",
          "void f(Shape s) { switch (s) { case Circle c: break; default: break; } }"
        })
    void when_a_switch_over_a_sealed_type_has_a_default(String function) {
      assertThat(
              TidyRules.defaultsOverSealedTypes(
                  List.of(shapes(), java("class A {" + function + "}"))))
          .containsExactly("domain/A.java:1: default in a switch over a sealed type");
    }

    @Test
    void when_the_sealed_type_lists_its_cases_in_other_files() {
      SourceFile shape = java("sealed interface Shape permits Circle {}");
      SourceFile user =
          java(
              "class A { int f(Shape s) { return switch (s) { case Circle c -> 1; default -> 0; };"
                  + " } }");
      assertThat(TidyRules.defaultsOverSealedTypes(List.of(shape, user))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "int f(Shape s) { return switch (s) { case Circle c -> 1; case Square q -> 2; }; }",
          "int f(Object o) { return switch (o) { case String t -> 1; default -> 0; }; }",
          "int f(int i) { return switch (i) { case 1 -> 1; default -> 0; }; }"
        })
    void but_allows_a_switch_without_default_or_over_an_open_type(String function) {
      assertThat(
              TidyRules.defaultsOverSealedTypes(
                  List.of(shapes(), java("class A {" + function + "}"))))
          .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "JobManager",
          "HelperOfJobs",
          "StringUtil",
          "StringUtils",
          "JobStoreImpl",
          "BaseJob",
          "CommonJob",
          "JobData",
          "JobInfo",
          "GPUInfo"
        })
    void when_a_type_name_is_an_empty_word(String name) {
      assertThat(TidyRules.bannedTypeNames(List.of(java("record " + name + "() {}"))))
          .hasSize(1)
          .allMatch(text -> text.contains(name));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"Database", "Baseline", "Information", "Implicit", "Utilisation", "DataB"})
    void but_bans_whole_words_only(String name) {
      boolean banned = !TidyRules.bannedTypeNames(List.of(java("class " + name + " {}"))).isEmpty();
      assertThat(banned).isEqualTo(name.equals("DataB"));
    }

    @Test
    void when_a_public_type_name_contains_an_unlisted_word() {
      String field = "| avoid | room |\n## Terms of the field\n| Kueue | queue, entry |";
      FieldTerms known = FieldTerms.of("| fair share | means | DRF |", field);
      List<SourceFile> planted =
          List.of(java("public class FairQueues { public record Entries() {} class Room {} }"));

      assertThat(TidyRules.unknownWords(planted, known)).isEmpty();
      assertThat(TidyRules.unknownWords(List.of(java("public class FairRoom {}")), known))
          .containsExactly("domain/A.java:1: FairRoom says Room");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"// TODO", "// TODO later", "// TODO:", "/* FIXME: it */", "// XXX why"})
    void when_a_todo_has_no_reason(String comment) {
      assertThat(TidyRules.todosWithoutReason(List.of(java(comment + "\nclass A {}")))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "// TODO: drop it once servers before 18 are gone",
          "// TODO(#7): needs the quota tree"
        })
    void but_allows_a_todo_with_its_reason(String comment) {
      assertThat(TidyRules.todosWithoutReason(List.of(java(comment + "\nclass A {}")))).isEmpty();
    }

    @Test
    void when_no_java_source_names_an_sql_file() {
      List<SourceFile> sql =
          List.of(sql("job/append.sql"), sql("job/claim.sql"), sql("job/old.sql"));
      SourceFile java =
          java("class A { String a = \"append.sql\"; String b = \"job/claim\"; int old; }");
      assertThat(TidyRules.unusedSql(sql, List.of(java)))
          .containsExactly("persistence/job/old.sql is named by no Java source");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "import java.util.HashMap; class A { Object m = new HashMap<String, String>(); }",
          "class A { Object m = new java.util.HashSet<String>(); }",
          "import java.util.HashSet; class A { java.util.function.Supplier<Object> s ="
              + " HashSet::new; }"
        })
    void when_the_core_uses_a_hash_collection(String text) {
      assertThat(TidyRules.hashCollectionsInTheCore(List.of(java(text)))).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "@RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String tag",
          "@RequestHeader(\"If-Match\") String tag",
          "@RequestHeader(name = \"Idempotency-Key\", required = false) String key",
          "@RequestParam(defaultValue = \"false\") boolean validateOnly"
        })
    void when_a_controller_reads_write_options_by_hand(String parameter) {
      String text = "class A { void f(@PathVariable String pool, " + parameter + ") {} }";
      assertThat(TidyRules.writeOptionsByHand(List.of(java(text)))).hasSize(1);
    }

    @Test
    void when_a_constructor_gets_eight_arguments() {
      String text =
          """
          class A {
            Object a = new some.Wide<>(1, 2, 3, 4, 5, 6, 7, 8);
            A() { this(1, 2, 3, 4, 5, 6, 7, 8); }
          }
          class B extends A {
            B() { super(1, 2, 3, 4, 5, 6, 7, 8); }
          }
          """;
      assertThat(PositionRules.longConstructorCalls(List.of(java(text))))
          .containsExactly(
              "domain/A.java:2: new Wide: 8 arguments",
              "domain/A.java:3: this: 8 arguments",
              "domain/A.java:6: super: 8 arguments");
    }

    @Test
    void but_allows_seven_arguments() {
      String text = "class A { Object a = new Wide(1, 2, 3, 4, 5, 6, 7); }";
      assertThat(PositionRules.longConstructorCalls(List.of(java(text)))).isEmpty();
    }

    @Test
    void when_a_builder_does_not_set_every_component() {
      SourceFile shape =
          new SourceFile(
              "domain",
              "domain/Shape.java",
              "package d; interface Shape { @RecordBuilder record Box(int a, int b) {} }");
      String text =
          """
          package e;
          import d.ShapeBoxBuilder;
          class A {
            Object one = ShapeBoxBuilder.builder().a(1).build();
            Object all = ShapeBoxBuilder.builder().b(2).a(1).build();
            Object later = ShapeBoxBuilder.builder().a(1).b(2);
            Object copy = ShapeBoxBuilder.builder(box).a(1).build();
          }
          """;
      assertThat(PositionRules.incompleteBuilders(List.of(shape, java(text))))
          .containsExactly(
              "domain/A.java:4: ShapeBoxBuilder lacks b",
              "domain/A.java:6: ShapeBoxBuilder without build()");
    }

    @Test
    void but_allows_other_headers_and_parameters() {
      String text =
          "class A { void f(@Takes({WritePart.IF_MATCH}) WriteOptions options,"
              + " @RequestHeader(\"Last-Event-ID\") String after,"
              + " @RequestParam boolean follow) { boolean validateOnly = follow; } }";
      assertThat(TidyRules.writeOptionsByHand(List.of(java(text)))).isEmpty();
    }

    @Test
    void but_allows_ordered_collections_and_other_modules() {
      String text = "class A { Object m = new java.util.%s<String, String>(); }";
      SourceFile ordered = java(text.formatted("LinkedHashMap"));
      SourceFile outside = new SourceFile("service", "service/A.java", text.formatted("HashMap"));
      assertThat(TidyRules.hashCollectionsInTheCore(List.of(ordered, outside))).isEmpty();
    }

    private static SourceFile java(String text) {
      return new SourceFile("domain", "domain/A.java", text);
    }

    private static SourceFile shapes() {
      return java(
          "sealed interface Shape { record Circle(int r) implements Shape {} "
              + "record Square(int a) implements Shape {} }");
    }

    private static SourceFile sql(String path) {
      return new SourceFile("persistence", "persistence/" + path, "SELECT 1");
    }

    private static String function(int lines) {
      return "void f() {\n" + "g();\n".repeat(lines - 2) + "}\n";
    }
  }
}
