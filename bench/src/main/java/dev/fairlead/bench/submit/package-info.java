/** Cost of a submit, which must not grow with the fleet. */
@NullMarked
package dev.fairlead.bench.submit;

import org.jspecify.annotations.NullMarked;
