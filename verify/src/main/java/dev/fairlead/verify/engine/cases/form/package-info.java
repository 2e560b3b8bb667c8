/** Files, values and clusters that all cases share. */
@NullMarked
package dev.fairlead.verify.engine.cases.form;

import org.jspecify.annotations.NullMarked;
