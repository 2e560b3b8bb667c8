/** What a submit costs, and that it does not grow with the fleet. */
@NullMarked
package dev.fairlead.bench.submit;

import org.jspecify.annotations.NullMarked;
