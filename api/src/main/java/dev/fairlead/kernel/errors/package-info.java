/** HTTP responses to refused and failed requests. */
@NullMarked
package dev.fairlead.kernel.errors;

import org.jspecify.annotations.NullMarked;
