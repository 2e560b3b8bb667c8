/** Files, values and clusters that all cases share. */
@NullMarked
package dev.fairlead.bench.cases.form;

import org.jspecify.annotations.NullMarked;
