package pulumifluss.catalog;

import java.util.Map;
import java.util.function.Consumer;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.rest.HTTPRequest;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTResponse;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.apache.iceberg.rest.responses.LoadTableResponse;

/** Answers with the given options in the config of each loaded or created table, as a catalog that vends credentials does. */
final class VendingAdapter extends RESTCatalogAdapter {
    private final Map<String, String> vended;

    VendingAdapter(Catalog catalog, Map<String, String> vended) {
        super(catalog);
        this.vended = vended;
    }

    @Override
    protected <T extends RESTResponse> T execute(
            HTTPRequest request,
            Class<T> responseType,
            Consumer<ErrorResponse> onError,
            Consumer<Map<String, String>> onHeaders) {
        T response = super.execute(request, responseType, onError, onHeaders);
        if (response instanceof LoadTableResponse loaded) {
            loaded.config().putAll(vended);
        }
        return response;
    }
}
