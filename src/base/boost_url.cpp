// Boost.URL, compiled here: the one place that needs all of it.
#include <boost/url/src.hpp>
