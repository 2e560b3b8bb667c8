/** The checks in the API. */
@NullMarked
package dev.fairlead.doctor.web;

import org.jspecify.annotations.NullMarked;
