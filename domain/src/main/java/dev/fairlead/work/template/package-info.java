/**
 * Job specs with typed parameters and locked fields that a submit names instead of a whole spec.
 */
@NullMarked
package dev.fairlead.work.template;

import org.jspecify.annotations.NullMarked;
