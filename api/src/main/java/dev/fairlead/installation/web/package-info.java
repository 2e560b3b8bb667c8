/** The installation in the API. */
@NullMarked
package dev.fairlead.installation.web;

import org.jspecify.annotations.NullMarked;
