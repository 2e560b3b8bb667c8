/** Cost of a submit, which must not grow with the fleet. */
@NullMarked
package dev.fairlead.verify.load.submit;

import org.jspecify.annotations.NullMarked;
